# Xer: build, test, install. `make help` lists the targets.

ifeq ($(origin CC),default)
CC := gcc
endif
BUILD   ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
VERSION := $(shell cat VERSION)
JOBS    ?= $(shell nproc 2>/dev/null || echo 1)

PKG_CONFIG ?= pkg-config
CFLAGS     ?= -O2 -g
WARN       := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror=int-conversion
override CPPFLAGS += -D_GNU_SOURCE -DXER_VERSION='"$(VERSION)"' -I.
override CFLAGS   += -std=gnu11 $(WARN) '-ffile-prefix-map=$(CURDIR)=.' $(EXTRA_CFLAGS)

found       = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)
XML_CFLAGS := $(call found,--cflags libxml-2.0)
XML_LIBS   := $(call found,--libs libxml-2.0)
CAPSTONE_LIBS := $(call found,--libs capstone)
ZSTD_LIBS  := $(call found,--libs libzstd)
DWARF_LIBS := $(call found,--libs libdw libelf)
EDIT_LIBS  := $(or $(call found,--libs libedit),-ledit)
SQLITE_LIBS := $(or $(call found,--libs sqlite3),-lsqlite3)

# A short line for each target; V=1 shows the commands.
ifneq ($(V),1)
.SILENT:
SILENT := -s
endif

.DEFAULT_GOAL := all
include build.mk

##
## Build
all: $(PROGRAMS) $(TRCRPT) $(LIBRARY) $(LIBRARY32) $(HELPERS) $(JAR) $(COMPLETIONS) ## build the programs into build/bin and the collector into build/lib/xer
	@$(PKG_CONFIG) --exists capstone && echo "capstone: found" || echo "capstone: not found (no disassembly)"
	@$(if $(LIBRARY32),echo "cc -m32: found",echo "cc -m32: not found (no events of 32-bit programs)")
	@$(PKG_CONFIG) --exists libzstd && echo "zstd: found" || echo "zstd: not found (no compressed data files)"

setup: ## install the Debian packages that are missing, or print the apt-get line
	@.ci/setup

demo: setup ## build, record a real program, print its functions and call tree, and write a page for browsers
	$(MAKE) $(SILENT) -j$(JOBS) all
	@tests/run-demo $(BUILD)

help: ## list the targets; V=1 with any target shows the commands
	@sed -n 's/^## \(.*\)/\n\1:/p; s/^\([a-z][a-z0-9-]*\):.* ## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 21

clean: ## remove what was built
	rm -rf $(BUILD)

## Test
check: setup ## build and run every test; the last lines say how long that took and how many passed
	@mkdir -p $(BUILD)/tests && date +%s >$(BUILD)/tests/began
	$(MAKE) $(SILENT) -j$(JOBS) all unit-programs e2e-programs replay browser-tools
	@tests/run-all $(BUILD) $$(cat $(BUILD)/tests/began)

# A test runs once: to optimize it takes longer than it gains. Not so what makes large experiments, and tests that walk their own
# stacks. Without optimization gcc knows too little of lengths to warn; `make lint` optimizes.
UNIT_OPTIMIZE ?= -O0 -Wno-format-truncation
$(patsubst %,$(BUILD)/obj/tests/unit/%.o,analyzer/% archive/% collect/% experiment/% format/% tables/% template/%): override CFLAGS += $(UNIT_OPTIMIZE)
$(BUILD)/obj/tests/unit/experiment/make_experiment.o: UNIT_OPTIMIZE :=
unit: ## build and run the unit tests
	$(MAKE) $(SILENT) -j$(JOBS) unit-programs
	@tests/run-unit $(BUILD)

# Scripts that together touch each part.
QUICK := heap sync io descendants filters printmode userreport killed jit archive
check-quick: ## build, unit tests and ten end-to-end scripts
	$(MAKE) $(SILENT) unit
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	@tests/run-e2e $(BUILD) /dev/null $(QUICK)

e2e: ## build and run the end-to-end tests
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	$(MAKE) $(SILENT) -j$(JOBS) replay
	$(MAKE) $(SILENT) browser-tools
	@tests/run-e2e $(BUILD)

# What tests of report pages and exports need of npm: without it they are skipped.
browser-tools: $(BUILD)/npm/package.json
$(BUILD)/npm/package.json: tests/browser/package.json
	mkdir -p $(@D)
	cp $< $(@D)/wanted.json
	@! command -v npm >/dev/null || ! command -v node >/dev/null || \
		(cd $(@D) && cp wanted.json package.json && timeout 300 npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts >npm.log 2>&1) || \
		{ rm -f $@; echo "npm: packages for tests of report pages and exports could not be installed: see $(@D)/npm.log"; }

howto: ## replay doc/HOWTO_ADD_EVENT.md: a kind of data is added to a copy of the tree, whole and without each of its parts
	@tests/run-howto $(BUILD)

check-distributions: ## set-up, demo, check and lint in chroots of other distributions (ON="trixie noble" AS="root user hard")
	@tests/run-distributions $(ON)

lint: ## warnings as errors by gcc and clang, clang-tidy, cppcheck, manual pages against the tables, file sizes
	$(MAKE) $(SILENT) browser-tools
	@tests/run-lint $(BUILD)

bench: ## measure cost and truth of the recordings
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	@tests/bench/run $(BUILD)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Half of the time of the compiler went into more optimization and debug information than reports of sanitizers need.
ASAN_FLAGS := BUILD=$(BUILD)/asan CFLAGS="-O1 -g1" EXTRA_CFLAGS="$(SANITIZE)"
asan: ## unit tests and readers of damaged input with the address and undefined-behaviour sanitizers
	$(MAKE) $(SILENT) -j$(JOBS) $(ASAN_FLAGS) sanitized
	@SKIP=libcollector tests/run-unit $(BUILD)/asan
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	@READERS="$$(realpath $(BUILD)/asan/bin)" tests/run-e2e $(BUILD) /dev/null badinput archive heap

fortify: ## unit tests of a build in which the C library checks bounds
	$(MAKE) $(SILENT) -j$(JOBS) BUILD=$(BUILD)/fortify EXTRA_CFLAGS="-Werror -D_FORTIFY_SOURCE=3" UNIT_OPTIMIZE= unit-programs
	@tests/run-unit $(BUILD)/fortify

# The thread sanitizer does not see fences, and newer versions of gcc warn about that.
TSAN := -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan
TSAN_CFLAGS := -O1 -g1
# Readers with which the end-to-end tests replay kept inputs and read damaged experiments.
replay:
	$(MAKE) $(SILENT) $(ASAN_FLAGS) fuzz-replay fuzz-hostile readers
	@! echo 'int main(void) { return 0; }' | $(CC) -fsanitize=thread -x c -o /dev/null - 2>/dev/null || \
		$(MAKE) $(SILENT) BUILD=$(BUILD)/tsan CFLAGS="$(TSAN_CFLAGS)" EXTRA_CFLAGS="$(TSAN)" tsan-programs

tsan: ## readers and writers of many threads with the thread sanitizer
	$(MAKE) $(SILENT) -j$(JOBS) BUILD=$(BUILD)/tsan CFLAGS="$(TSAN_CFLAGS)" EXTRA_CFLAGS="$(TSAN)" tsan-programs
	$(BUILD)/tsan/tests/tsan/readers
	$(BUILD)/tsan/tests/tsan/writers

FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzz: ## SECONDS=n: n seconds (60) of libFuzzer for each target of tests/fuzz/targets.def; what it finds is kept in build/fuzz/found
	$(MAKE) $(SILENT) -j$(JOBS) BUILD=$(BUILD)/fuzz CC=clang EXTRA_CFLAGS="$(FUZZ_FLAGS)" fuzz-engine
	@tests/run-fuzz $(BUILD)/fuzz $(or $(SECONDS),60)

coverage: ## unit tests with line coverage, summed up by folder
	$(MAKE) $(SILENT) -j$(JOBS) BUILD=$(BUILD)/coverage EXTRA_CFLAGS=--coverage unit-programs
	@tests/run-unit $(BUILD)/coverage
	@tests/run-coverage $(BUILD)/coverage

coverage-scripts: ## which lines of the readers each end-to-end script executes, for `make mutate`; SCRIPTS="heap sync" asks some
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	$(MAKE) $(SILENT) -j$(JOBS) BUILD=$(BUILD)/coverage-scripts EXTRA_CFLAGS="--coverage -fprofile-update=atomic" readers
	@tests/run-coverage $(BUILD) $(or $(SCRIPTS),all)

nulltools: ## run the end-to-end tests with tools that do nothing: no claim may hold
	$(MAKE) $(SILENT) -j$(JOBS) all e2e-programs
	@tests/run-null $(BUILD)

mutate: ## N=n SEED=s [FOLDER=f]: change n places of the sources (50), one at a time, and see how many the tests notice; goes on where it was ended
	$(MAKE) $(SILENT) -j$(JOBS) all unit-programs e2e-programs
	@tests/mutate/run $(BUILD) $(or $(N),50) $(or $(SEED),1) $(FOLDER)

## Install
MAN_PAGES = $(wildcard man/*.[1-8])
HEADERS   = $(patsubst include/%,%,$(wildcard include/*.h include/*/*.h))
SONAMES   = $(SONAME) libexperiment.so
SAMPLER_NAMES = $(SAMPLER_SONAME) libxer_sampler.so
SHARE     = $(PREFIX)/share
BASHDIR  ?= $(SHARE)/bash-completion/completions
ZSHDIR   ?= $(SHARE)/zsh/site-functions
FISHDIR  ?= $(SHARE)/fish/vendor_completions.d
# put MODE FOLDER FILE...: install files into a folder; fill FOLDER FILE: the same of one, with its variables replaced
put  = install -d $(DESTDIR)$(2) && install -m $(1) $(3) $(DESTDIR)$(2)
fill = install -d $(DESTDIR)$(1) && sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@ZSTD@|$(if $(ZSTD_LIBS),-lzstd )|' $(2) >$(DESTDIR)$(1)/$(notdir $(2:.in=))
link = ln -sf $(1) $(DESTDIR)$(2)
install: all library ## install below PREFIX (/usr/local), libraries in LIBDIR (PREFIX/lib); DESTDIR is put before both
	$(call put,755,$(PREFIX)/bin,$(PROGRAMS))
	$(call link,xer_print,$(PREFIX)/bin/xer_trcrpt)
	$(call link,xer_print,$(PREFIX)/bin/xer_src)
	$(call put,755,$(PREFIX)/lib/xer,$(LIBRARY) $(HELPERS))
	$(if $(LIBRARY32),$(call put,755,$(PREFIX)/lib/xer/32,$(LIBRARY32)))
	$(call put,644,$(SHARE)/xer,template/trcfmt $(JAR))
	$(call put,644,$(SHARE)/xer/java/collector,share/java/collector/CollectorAPI.java)
	$(call fill,$(SHARE)/xer,share/xer.gdb)
	for header in $(HEADERS); do install -D -m 644 include/$$header $(DESTDIR)$(PREFIX)/include/$$header || exit 1; done
	$(call put,644,$(PREFIX)/include/xer,experiment/experiment.h experiment/data.h)
	$(call put,644,$(PREFIX)/include/xer/format,format/datakind.def)
	$(call put,644,$(LIBDIR),$(SHARED_LIBRARY) $(STATIC_LIBRARY) $(SAMPLER_SHARED) $(SAMPLER_STATIC))
	for name in $(SONAMES); do $(call link,$(notdir $(SHARED_LIBRARY)),$(LIBDIR)/$$name) || exit 1; done
	for name in $(SAMPLER_NAMES); do $(call link,$(notdir $(SAMPLER_SHARED)),$(LIBDIR)/$$name) || exit 1; done
	$(call fill,$(LIBDIR)/pkgconfig,sampler/xer-sampler.pc.in)
	$(call fill,$(LIBDIR)/pkgconfig,experiment/xer-experiment.pc.in)
	$(call fill,$(SHARE)/pkgconfig,include/xer.pc.in)
	$(call put,644,$(BASHDIR),$(filter $(BUILD)/share/bash/%,$(COMPLETIONS)))
	$(call put,644,$(ZSHDIR),$(filter $(BUILD)/share/zsh/%,$(COMPLETIONS)))
	$(call put,644,$(FISHDIR),$(filter $(BUILD)/share/fish/%,$(COMPLETIONS)))
	for page in $(MAN_PAGES); do \
		folder=$(DESTDIR)$(SHARE)/man/man$${page##*.}; install -d $$folder && \
		sed '/^\.TH /s/"Xer"/"Xer $(VERSION)"/' $$page >$$folder/$${page##*/} || exit 1; \
	done

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,$(notdir $(PROGRAMS)) xer_trcrpt xer_src)
	rm -rf $(DESTDIR)$(PREFIX)/lib/xer $(DESTDIR)$(SHARE)/xer
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(notdir $(SHARED_LIBRARY) $(STATIC_LIBRARY) $(SAMPLER_SHARED) $(SAMPLER_STATIC)) $(SONAMES) $(SAMPLER_NAMES))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/pkgconfig/,xer-sampler.pc xer-experiment.pc) $(DESTDIR)$(SHARE)/pkgconfig/xer.pc
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/include/,$(HEADERS) xer/experiment.h xer/data.h xer/format/datakind.def)
	rm -f $(foreach name,$(COMPLETED),$(DESTDIR)$(BASHDIR)/$(name) $(DESTDIR)$(ZSHDIR)/_$(name) $(DESTDIR)$(FISHDIR)/$(name).fish)
	for page in $(MAN_PAGES); do rm -f $(DESTDIR)$(SHARE)/man/man$${page##*.}/$${page##*/}; done

html: ## README, the guide and the manual pages as pages for browsers, in build/html
	@doc/make-html $(BUILD)/html

dist: ## build/xer-VERSION.tar.xz: the sources of the last commit, which build without git
	mkdir -p $(BUILD)
	git archive --prefix=xer-$(VERSION)/ HEAD | xz -T1 -c >$(BUILD)/xer-$(VERSION).tar.xz
	@echo "$(BUILD)/xer-$(VERSION).tar.xz"

deb: ## Debian packages of the last commit, in chroots (ON="bookworm trixie"): built twice to the same bytes, checked, tried
	@tests/run-deb $(ON)

.PHONY: browser-tools deb dist html check-distributions check-quick howto mutate nulltools all library readers tsan tsan-programs setup demo help clean check unit e2e lint fortify bench asan sanitized replay fuzz fuzz-engine fuzz-replay fuzz-hostile coverage coverage-scripts install uninstall unit-programs e2e-programs
