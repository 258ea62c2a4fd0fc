# build.mk: the rules of the build. A folder is a library or a program; every .c file in it and in its rooms belongs to it.

# Of the folders arch/PROCESSOR/, only the one of the target is compiled: i386 for objects below m32/.
PROCESSOR := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
# The first line of a recipe: prints the name of the target, except with `make -s` and V=1, and creates its folder.
begin = @$(if $(filter 1,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $(@:$(BUILD)/%=%)';) mkdir -p $(@D)

objects = $(patsubst %.c,$(BUILD)/obj/$(1)%.o,$(sort $(shell find $(2) -name '*.c' \( ! -path '*/arch/*/*' -o -path '*/arch/$(if $(filter m32/,$(1)),i386,$(PROCESSOR))/*' \))))

FORMAT_OBJ     := $(call objects,,format)
COLLECT_OBJ    := $(call objects,,collect)
EXPERIMENT_OBJ := $(call objects,,experiment)
TEMPLATE_OBJ   := $(call objects,,template)
ARCHIVE_OBJ    := $(call objects,,archive)
ANALYZER_OBJ   := $(call objects,,analyzer)
ATTACH_OBJ     := $(call objects,,attach)
PERF_OBJ       := $(call objects,,perf)
SAMPLER_OBJ    := $(call objects,,sampler)
# Only one of these two modules is used: with the library capstone, or without; the same with libzstd.
ANALYZER_OBJ   := $(filter-out %/disassemble_$(if $(CAPSTONE_LIBS),none,capstone).o,$(ANALYZER_OBJ))
EXPERIMENT_OBJ := $(filter-out %/frame_$(if $(ZSTD_LIBS),none,zstd).o,$(EXPERIMENT_OBJ))
# The recorder has its own copy of format/, compiled as position-independent code for the target.
COLLECTOR_OBJ  := $(call objects,pic/,libcollector) $(filter-out %/nearest.o %/seekable.o %/memstream.o,$(call objects,pic/,format))

PROGRAMS := $(BUILD)/bin/xcollect $(BUILD)/bin/xer_print $(BUILD)/bin/xer_archive
# xer_print under other names, and the templates that it reads by default.
TRCRPT   := $(BUILD)/bin/xer_trcrpt $(BUILD)/bin/xer_src $(BUILD)/share/xer/trcfmt
LIBRARY  := $(BUILD)/lib/xer/libcollector.so
# The library for 32-bit programs, if the compiler can compile it.
# Debian's gcc-NN-multilib does not install the kernel's headers for 32 bits. Then those for 64 bits are used, which are the same.
M32      := -m32 -idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
# The compiler can do that if it finds all headers that the library includes.
HAS_M32  := $(shell find libcollector format -name '*.[ch]' | xargs sed -n '/^.include </p' | sort -u | \
	$(CC) -D_GNU_SOURCE -std=gnu11 $(M32) -D_FILE_OFFSET_BITS=64 -shared -x c -o /dev/null - >/dev/null 2>&1 && echo yes)
# The 32-bit library has no call stacks. It leaves out these rooms and modules, and all modules that call stack_of.
ROOMS64   := calls heap io java jit mpi omp unwind wall
MODULES64 := $(patsubst libcollector/%.c,%,$(shell grep -lrw --include='*.c' stack_of libcollector)) \
	attach events/allocator events/blocking events/earlier events/heap_sampled events/operators events/sync_other events/sync_owner profile/tick profile/tick_arm profile/tick_sample hook/got hook/visible object/code object/elffile \
	object/loader thread/buserror process/reaped thread/handler_stack thread/lostpages thread/memo thread/memo_pool thread/pointer thread/restart
COLLECTOR32_OBJ := $(filter-out $(patsubst %,$(BUILD)/obj/m32/libcollector/%,$(addsuffix /%,$(ROOMS64)) $(addsuffix .o,$(MODULES64))), \
	$(call objects,m32/,libcollector)) $(filter-out %/nearest.o %/seekable.o %/memstream.o,$(call objects,m32/,format))
LIBRARY32 := $(if $(HAS_M32),$(BUILD)/lib/xer/32/libcollector.so)
HELPERS  := $(BUILD)/lib/xer/xer_attach $(BUILD)/lib/xer/xer_sampler

FORMAT_LIB     := $(BUILD)/lib/libxfmt.a
EXPERIMENT_LIB := $(BUILD)/lib/libexperiment.a
TEMPLATE_LIB   := $(BUILD)/lib/libtemplate.a
SAMPLER_LIB    := $(BUILD)/lib/libsampler.a
PRINT_LIBS      = $(EDIT_LIBS) $(SQLITE_LIBS) -ldl
READER_LIBS     = $(XML_LIBS) $(DWARF_LIBS) $(ZSTD_LIBS) -lz -liberty -lm -lpthread

# ---- objects

$(BUILD)/obj/experiment/%.o $(BUILD)/obj/tests/%.o: override CPPFLAGS += $(XML_CFLAGS)

# The callers of these modules have saved only the general registers.
$(addprefix $(BUILD)/obj/pic/libcollector/calls/,functrace_limits.o returns.o): override CFLAGS += -mgeneral-regs-only

# The manual page is a part of it.
$(BUILD)/obj/analyzer/manual/manual.o: man/xer_print.1

$(BUILD)/obj/%.o: %.c build.mk
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MT $@ -c -o $@ $<

# The viewer of report pages is one text, put together from modules.
VIEWER := $(BUILD)/obj/analyzer/page/viewer.html
$(VIEWER): $(wildcard analyzer/page/viewer/*) analyzer/page/section.def
	$(begin)
	analyzer/page/viewer/bundle >$@.new
	mv $@.new $@
$(BUILD)/obj/analyzer/page/viewer.o: $(VIEWER)
$(BUILD)/obj/analyzer/page/viewer.o: override CPPFLAGS += -DXER_VIEWER='"$(VIEWER)"'

# The installed library has its own copy of experiment/ and format/.
SHARED_OBJ := $(filter-out %/frame_$(if $(ZSTD_LIBS),none,zstd).o,$(call objects,shared/,experiment)) $(filter-out %/nearest.o,$(call objects,shared/,format))
$(BUILD)/obj/shared/%.o: override CPPFLAGS += $(XML_CFLAGS)
$(BUILD)/obj/shared/%.o: %.c build.mk
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -MMD -MP -MT $@ -c -o $@ $<

# No check may abort the target, and the library itself defines the functions that _FORTIFY_SOURCE checks.
PIC_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -U_FORTIFY_SOURCE -fno-plt -fno-builtin-malloc \
	-fomit-frame-pointer -fasynchronous-unwind-tables
$(BUILD)/obj/pic/%.o: %.c build.mk
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -MT $@ -c -o $@ $<

# The stacks of 32-bit programs may be aligned to 4 bytes only.
$(BUILD)/obj/m32/%.o: %.c build.mk
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) $(M32) -D_FILE_OFFSET_BITS=64 -mstackrealign -Wno-psabi -MMD -MP -MT $@ -c -o $@ $<

# ---- libraries and programs

$(FORMAT_LIB): $(FORMAT_OBJ)
$(EXPERIMENT_LIB): $(EXPERIMENT_OBJ)
$(TEMPLATE_LIB): $(TEMPLATE_OBJ)
$(SAMPLER_LIB): $(SAMPLER_OBJ)
# Tests that are linked with it ask for their environment as it is.
$(BUILD)/lib/libcollector.a: $(filter-out %/exec/getenv.o,$(COLLECTOR_OBJ))
$(BUILD)/lib/%.a:
	$(begin)
	rm -f $@
	ar rcsD $@ $^

$(BUILD)/bin/xcollect: $(COLLECT_OBJ) $(SAMPLER_LIB) $(FORMAT_LIB)
$(BUILD)/bin/xer_print: $(ANALYZER_OBJ) $(TEMPLATE_LIB) $(EXPERIMENT_LIB) $(FORMAT_LIB)
$(BUILD)/bin/xer_archive: $(ARCHIVE_OBJ) $(EXPERIMENT_LIB) $(FORMAT_LIB)
$(BUILD)/bin/xer_print: LIBS = $(READER_LIBS) $(PRINT_LIBS)
$(BUILD)/bin/xer_archive: LIBS = $(READER_LIBS)
$(BUILD)/lib/xer/xer_attach: $(ATTACH_OBJ) $(FORMAT_LIB)
$(BUILD)/lib/xer/xer_sampler: $(PERF_OBJ) $(SAMPLER_LIB) $(FORMAT_LIB)
$(HELPERS): LIBS = $(DWARF_LIBS)
$(PROGRAMS) $(HELPERS):
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/bin/xer_trcrpt $(BUILD)/bin/xer_src: $(BUILD)/bin/xer_print
	ln -sf xer_print $@
# For Java programs, if there is a JDK. The date makes two builds the same; the jar of JDK 11 cannot set it.
JAVAC := $(shell command -v javac 2>/dev/null)
JAR   := $(if $(JAVAC),$(BUILD)/share/xer/collector.jar)
$(BUILD)/share/xer/collector.jar: share/java/collector/CollectorAPI.java
	$(begin) $(BUILD)/obj/java
	$(JAVAC) -nowarn -source 11 -target 11 -Xlint:-options -d $(BUILD)/obj/java $<
	jar --create --date=1980-01-01T00:00:02Z --no-manifest --file=$@ -C $(BUILD)/obj/java collector 2>/dev/null || \
		jar cf $@ -C $(BUILD)/obj/java collector

$(BUILD)/share/xer/trcfmt: template/trcfmt
	$(begin)
	cp $< $@

$(LIBRARY): $(COLLECTOR_OBJ)
$(BUILD)/lib/xer/32/libcollector.so: $(COLLECTOR32_OBJ)
$(BUILD)/lib/xer/32/libcollector.so: override CFLAGS += -m32
$(BUILD)/lib/xer/libcollector.so $(BUILD)/lib/xer/32/libcollector.so: libcollector/versions.map
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,now,-z,relro,-z,defs,-z,initfirst,-Bsymbolic-functions,--hash-style=gnu \
		-Wl,--version-script=libcollector/versions.map -o $@ $(filter %.o,$^)

# Completions for shells, made from the tables by a program of the build.
COMPLETED   := xcollect xer_print xer_archive xer_trcrpt xer_src
COMPLETIONS := $(foreach name,$(COMPLETED),$(BUILD)/share/bash/$(name) $(BUILD)/share/zsh/_$(name) $(BUILD)/share/fish/$(name).fish)
$(BUILD)/completions: $(call objects,,completions) $(BUILD)/obj/analyzer/prompt/grammar.o
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^
$(BUILD)/share/bash/%: $(BUILD)/completions
	$(begin)
	$(BUILD)/completions bash $* >$@
$(BUILD)/share/zsh/_%: $(BUILD)/completions
	$(begin)
	$(BUILD)/completions zsh $* >$@
$(BUILD)/share/fish/%.fish: $(BUILD)/completions
	$(begin)
	$(BUILD)/completions fish $* >$@

# libexperiment as it is installed: for other people's programs, shared and static.
SONAME          := libexperiment.so.0
SHARED_LIBRARY  := $(BUILD)/shared/$(SONAME).$(VERSION)
STATIC_LIBRARY  := $(BUILD)/shared/libexperiment.a
library: $(SHARED_LIBRARY) $(STATIC_LIBRARY)

$(SHARED_LIBRARY): $(SHARED_OBJ) experiment/experiment.map
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,relro,-z,defs,--hash-style=gnu,-soname,$(SONAME) \
		-Wl,--version-script=experiment/experiment.map -o $@ $(SHARED_OBJ) $(READER_LIBS)

$(STATIC_LIBRARY): $(EXPERIMENT_OBJ) $(FORMAT_OBJ)
	$(begin)
	rm -f $@
	ar rcsD $@ $^

# libxer_sampler: for programs that sample threads.
SAMPLER_SONAME := libxer_sampler.so.0
SAMPLER_SHARED := $(BUILD)/shared/$(SAMPLER_SONAME).$(VERSION)
SAMPLER_STATIC := $(BUILD)/shared/libxer_sampler.a
library: $(SAMPLER_SHARED) $(SAMPLER_STATIC)

$(SAMPLER_SHARED): $(call objects,shared/,sampler) $(BUILD)/obj/shared/format/fxt.o sampler/sampler.map
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,relro,-z,defs,--hash-style=gnu,-soname,$(SAMPLER_SONAME) \
		-Wl,--version-script=sampler/sampler.map -o $@ $(filter %.o,$^)

$(SAMPLER_STATIC): $(SAMPLER_OBJ) $(BUILD)/obj/format/fxt.o
	$(begin)
	rm -f $@
	ar rcsD $@ $^

# ---- unit tests: one program for each folder of tests/unit, with the objects of the folder that it tests

UNIT_FOLDERS  := $(sort $(patsubst tests/unit/%/,%,$(wildcard tests/unit/*/)))
UNIT_PROGRAMS := $(addprefix $(BUILD)/tests/unit/,$(UNIT_FOLDERS))
unit-programs: $(UNIT_PROGRAMS)
sanitized: $(PROGRAMS) $(TRCRPT) $(filter-out %/libcollector,$(UNIT_PROGRAMS))

# The main function of FOLDER is called FOLDER_main there.
renamed = $(patsubst $(BUILD)/obj/$(1)/main.o,$(BUILD)/obj/unit/$(1)/main.o,$(2))
$(BUILD)/obj/unit/%/main.o: $(BUILD)/obj/%/main.o
	$(begin)
	objcopy --redefine-sym main=$*_main $< $@

TESTED_format       :=
TESTED_tables       :=
TESTED_collect      := $(call renamed,collect,$(COLLECT_OBJ)) $(SAMPLER_LIB)
TESTED_experiment   := $(EXPERIMENT_LIB)
TESTED_template     := $(TEMPLATE_LIB)
TESTED_sampler      := $(SAMPLER_LIB)
TESTED_attach       := $(call renamed,attach,$(ATTACH_OBJ))
TESTED_perf         := $(call renamed,perf,$(PERF_OBJ)) $(SAMPLER_LIB)
TESTED_archive      := $(call renamed,archive,$(ARCHIVE_OBJ)) $(EXPERIMENT_LIB)
TESTED_analyzer     := $(call renamed,analyzer,$(ANALYZER_OBJ)) $(TEMPLATE_LIB) $(EXPERIMENT_LIB)
# An archive, after -lc: a test gets only the objects that it uses, and functions that the C library has too only from such
# objects. So in the whole program, wrappers that tests call come before the C library's functions, as in a program that is
# recorded.
# Nothing but wrappers is in some objects, so that no test would get them.
TESTED_libcollector := $(BUILD)/lib/libcollector.a $(addprefix $(BUILD)/obj/pic/libcollector/,exec/exec.o exec/spawn.o process/memlock.o)
# Wrappers that the test runner, too, would call: tests call them by a name of their own, wrapped_NAME.
TESTED_libcollector += $(addprefix $(BUILD)/obj/unit/libcollector/,io/io.o io/io_path.o io/io_stdio.o io/io_attribute.o process/clone.o syscall.o)
$(BUILD)/obj/unit/libcollector/%.o: $(BUILD)/obj/pic/libcollector/%.o
	$(begin)
	nm -g --defined-only $< | sed 's/.* //; s/.*/& wrapped_&/' >$(@:.o=.names)
	objcopy --redefine-syms=$(@:.o=.names) $< $@

define unit_program
$(BUILD)/tests/unit/$(1): $(call objects,,tests/unit/$(1)) $(call objects,,tests/unit/*.c) $(TESTED_$(1)) $(FORMAT_LIB)
	$$(begin)
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -Wl,--wrap=criterion_internal_test_setup,--wrap=criterion_internal_test_main -o $$@ $$(filter %.o,$$^) -lc $$(filter %.a,$$^) -lcriterion $$(READER_LIBS) $$(PRINT_LIBS)
endef
$(foreach folder,$(UNIT_FOLDERS),$(eval $(call unit_program,$(folder))))

# Libraries that unit tests of libcollector load: a small recorder, libraries that call wrapped functions, a made-up libjvm, MPI
# and OpenMP runtime.
LATE := $(addprefix $(BUILD)/tests/programs/late/,recorder.so callers.so sealed.so needing.so jvm.so mpich.so ompi.so omp.so copier)
$(BUILD)/tests/unit/libcollector: $(LATE)
$(BUILD)/tests/programs/late/recorder.so: tests/programs/late/recorder.c tests/programs/late/recorder.map $(BUILD)/lib/libcollector.a
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) $(LDFLAGS) -shared -Wl,-z,now,-z,relro,--hash-style=gnu \
		-Wl,--version-script=tests/programs/late/recorder.map -o $@ $< -lc $(filter %.a,$^)
$(BUILD)/tests/programs/late/copier: tests/programs/late/copier.c tests/programs/late/late.h
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -ldl
$(BUILD)/tests/programs/late/omp.so: libcollector/omp/ompt_abi.h
$(BUILD)/tests/programs/late/jvm.so: tests/programs/late/jvm.h
$(BUILD)/tests/programs/late/omp.so $(BUILD)/tests/programs/late/jvm.so: $(BUILD)/tests/programs/late/%.so: tests/programs/late/%.c
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(LDFLAGS) -shared -o $@ $<
$(BUILD)/tests/programs/late/mpich.so $(BUILD)/tests/programs/late/ompi.so: tests/programs/late/mpi.c tests/programs/late/mpi.h
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(if $(filter %/ompi.so,$@),-DOPEN_MPI) -fPIC $(LDFLAGS) -shared -o $@ $<
$(BUILD)/tests/programs/late/callers.so $(BUILD)/tests/programs/late/sealed.so: tests/programs/late/callers.c
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fplt -fno-builtin $(LDFLAGS) -shared -Wl,-z,$(if $(filter %/sealed.so,$@),now,lazy),-z,relro,--hash-style=gnu,-soname,$(@F) -o $@ $<
$(BUILD)/tests/programs/late/needing.so: tests/programs/late/needing.c $(BUILD)/tests/programs/late/sealed.so
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(LDFLAGS) -shared -Wl,-rpath,'$$ORIGIN' -o $@ $^

# A program and a library with a malloc of their own, and a library to be loaded, for the unit tests of attach.
$(BUILD)/tests/unit/attach: $(BUILD)/tests/programs/own_malloc $(addprefix $(BUILD)/tests/programs/late/,own_malloc.so entry.so)
$(BUILD)/tests/programs/late/entry.so: tests/programs/late/entry.c
	$(begin)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(LDFLAGS) -shared -o $@ $<
$(BUILD)/tests/programs/late/own_malloc.so: tests/programs/own_malloc.c
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -fPIC -shared -o $@ $< -lpthread

# ---- fuzz targets, with libFuzzer (a build by clang with -fsanitize=fuzzer-no-link) and without

FUZZ_OBJ := $(call objects,,tests/fuzz/targets) $(addprefix $(BUILD)/obj/libcollector/,object/elffile.o base/aside.o base/file.o base/kernel.o base/memory.o base/collector.o) $(filter-out %/main.o,$(ANALYZER_OBJ))
FUZZ_LIBS := $(TEMPLATE_LIB) $(EXPERIMENT_LIB) $(FORMAT_LIB)
fuzz-engine: $(BUILD)/tests/fuzz/engine
fuzz-replay: $(BUILD)/tests/fuzz/replay
readers: $(BUILD)/bin/xer_print $(BUILD)/bin/xer_archive $(TRCRPT)
fuzz-hostile: $(BUILD)/tests/fuzz/hostile
$(BUILD)/tests/fuzz/engine: override LDFLAGS += -fsanitize=fuzzer
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_OBJ) $(FUZZ_LIBS)
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(READER_LIBS) $(PRINT_LIBS)

# ---- plain programs for the thread sanitizer, under which Criterion crashes

tsan-programs: $(BUILD)/tests/tsan/readers $(BUILD)/tests/tsan/writers
$(BUILD)/tests/tsan/readers: $(BUILD)/obj/tests/tsan/readers.o $(BUILD)/obj/tests/unit/experiment/make_experiment.o $(EXPERIMENT_LIB) $(FORMAT_LIB)
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(READER_LIBS)
# The objects of the collector that writers uses; their wrappers are made local, as malloc and the like are the sanitizer's.
TSAN_USES := col_founder_open col_directory_open col_xml_open col_xml_append col_slot_refill tree_open tree_node col_slot_abandon
$(BUILD)/tests/tsan/recorder.o: $(BUILD)/lib/libcollector.a
	$(begin)
	ld -r -o $@ $(TSAN_USES:%=-u %) $<
	readelf -sW $@ | awk '$$5 == "GLOBAL" && $$6 == "DEFAULT" && $$7 != "UND" { print $$8 }' >$@.exported
	objcopy --localize-symbols=$@.exported $@
$(BUILD)/tests/tsan/writers: $(BUILD)/obj/tests/tsan/writers.o $(BUILD)/tests/tsan/recorder.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lpthread

# ---- programs that the end-to-end tests and the benchmarks record: ordinary optimized programs

TARGETS := $(patsubst tests/programs/%.c,$(BUILD)/tests/programs/%,$(wildcard tests/programs/*.c)) \
	$(patsubst tests/programs/%.cc,$(BUILD)/tests/programs/%,$(wildcard tests/programs/*.cc))
# No programs of their own: their tests build them.
TARGETS := $(filter-out %/ft_plugin %/ft_control %/ft_hard %/ft_nested %/ft_stepped %/ft_events %/inlined_heap,$(TARGETS))
e2e-programs: $(TARGETS) $(BUILD)/tests/programs/static $(BUILD)/tests/programs/alone_static $(BUILD)/tests/programs/plugin.so $(BUILD)/tests/programs/grown_later $(BUILD)/tests/bench/many_samples $(BUILD)/tests/bench/large $(BUILD)/tests/bench/grow $(BUILD)/tests/bench/frames

$(BUILD)/tests/bench/frames: $(BUILD)/obj/tests/bench/frames.o $(EXPERIMENT_LIB) $(FORMAT_LIB)
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(READER_LIBS)

$(BUILD)/tests/bench/many_samples $(BUILD)/tests/bench/large $(BUILD)/tests/bench/grow: $(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/obj/tests/unit/experiment/make_experiment.o \
	$(EXPERIMENT_LIB) $(FORMAT_LIB)
	$(begin)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(READER_LIBS)

# No calls are merged or cloned, so that the known facts stay known by function.
TARGET_FLAGS := -O2 -g -fno-inline-functions -fno-optimize-sibling-calls
ifeq ($(findstring clang,$(shell $(CC) --version)),)
TARGET_FLAGS += -fno-ipa-icf -fno-ipa-cp -fno-ipa-sra
endif
$(BUILD)/tests/programs/wall_known: tests/programs/wall_known_io.h
$(BUILD)/tests/programs/ft_%: TARGET_FLAGS += -finstrument-functions
$(BUILD)/tests/programs/%: tests/programs/%.c
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -I. -o $@ $< -lpthread -ldl -lm
$(BUILD)/tests/programs/%: tests/programs/%.cc
	$(begin)
	$(CXX) -std=gnu++20 -D_GNU_SOURCE -Wall -Wextra $(TARGET_FLAGS) -I. -o $@ $< -lpthread
$(BUILD)/tests/programs/grown_later: tests/programs/grown.c
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -DLATER -o $@ $<
$(BUILD)/tests/programs/plugin.so: tests/programs/plugin/plugin.c
	$(begin)
	$(CC) -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -fPIC -shared -o $@ $<
# The cases of tests/cases, in one program, with everything traceable.
CASE_OBJ := $(patsubst tests/cases/%.c,$(BUILD)/tests/cases/%.o,$(wildcard tests/cases/*.c))
$(BUILD)/tests/cases/%.o: tests/cases/%.c tests/cases/bus.h tests/cases/case.h tests/cases/cases.def
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -finstrument-functions -Wno-infinite-recursion -c -o $@ $<
e2e-programs: $(BUILD)/tests/cases/cases
$(BUILD)/tests/cases/cases: $(CASE_OBJ)
	$(CC) -rdynamic -z execstack -o $@ $^ -lpthread -ldl -lutil -lrt -lm
# A client of the sampler, which walks by frame pointers.
$(BUILD)/tests/programs/self_sampler: tests/programs/self_sampler.c $(SAMPLER_LIB) $(FORMAT_LIB)
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -fno-omit-frame-pointer -fno-toplevel-reorder -I. -o $@ $^ -lpthread
$(BUILD)/tests/programs/fixed: TARGET_FLAGS += -fno-pie -no-pie
$(BUILD)/tests/programs/static: tests/programs/exitcodes.c
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -static -o $@ $<
# Walked by frame pointers.
$(BUILD)/tests/programs/alone: TARGET_FLAGS += -fno-omit-frame-pointer
$(BUILD)/tests/programs/alone_static: tests/programs/alone.c
	$(begin)
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(TARGET_FLAGS) -fno-omit-frame-pointer -static -o $@ $< -lpthread

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
