# build.mk: what is built from what. A folder is a library or a program; every .c in it belongs to it.

objects = $(patsubst %.c,$(BUILD)/obj/$(1)%.o,$(wildcard $(2)/*.c))

FORMAT_OBJ     := $(call objects,,format)
COLLECT_OBJ    := $(call objects,,collect)
EXPERIMENT_OBJ := $(call objects,,experiment)
ARCHIVE_OBJ    := $(call objects,,archive)
ANALYZER_OBJ   := $(call objects,,analyzer)
# The collector has its own copy of format/, built as position-independent code for the target.
COLLECTOR_OBJ  := $(call objects,pic/,libcollector) $(call objects,pic/,format)

PROGRAMS := $(BUILD)/bin/xcollect $(BUILD)/bin/xer_print $(BUILD)/bin/xer_archive
LIBRARY  := $(BUILD)/lib/xer/libcollector.so

all: $(PROGRAMS) $(LIBRARY)

$(BUILD)/obj/experiment/%.o: override CPPFLAGS += $(XML_CFLAGS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

PIC_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -fno-plt -fno-builtin-malloc \
	-fomit-frame-pointer -fasynchronous-unwind-tables
$(BUILD)/obj/pic/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/lib/libxfmt.a: $(FORMAT_OBJ)
$(BUILD)/lib/libexperiment.a: $(EXPERIMENT_OBJ)
$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	rm -f $@
	ar rcsD $@ $^

$(BUILD)/bin/xcollect: $(COLLECT_OBJ) $(BUILD)/lib/libxfmt.a
$(BUILD)/bin/xer_print: $(ANALYZER_OBJ) $(BUILD)/lib/libexperiment.a $(BUILD)/lib/libxfmt.a
$(BUILD)/bin/xer_archive: $(ARCHIVE_OBJ) $(BUILD)/lib/libexperiment.a $(BUILD)/lib/libxfmt.a
$(BUILD)/bin/xer_print $(BUILD)/bin/xer_archive: LIBS := $(XML_LIBS) $(DWARF_LIBS) -liberty -lm -lpthread
$(PROGRAMS):
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(LIBRARY): $(COLLECTOR_OBJ) libcollector/libcollector.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,now,-z,relro,-z,defs,--hash-style=gnu \
		-Wl,--version-script=libcollector/libcollector.map -o $@ $(COLLECTOR_OBJ)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
