# Xer: build, test, install. `make help` lists the targets.

CC      ?= gcc
BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := 0.1

PKG_CONFIG ?= pkg-config
CFLAGS     ?= -O2 -g
WARN       := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror=int-conversion
override CPPFLAGS += -D_GNU_SOURCE -DXER_VERSION='"$(VERSION)"' -I.
override CFLAGS   += -std=gnu11 $(WARN) -ffile-prefix-map=$(CURDIR)=. $(EXTRA_CFLAGS)

XML_CFLAGS := $(shell $(PKG_CONFIG) --cflags libxml-2.0 2>/dev/null)
XML_LIBS   := $(shell $(PKG_CONFIG) --libs libxml-2.0 2>/dev/null)
DWARF_LIBS := $(shell $(PKG_CONFIG) --libs libdw libelf 2>/dev/null)

include build.mk
