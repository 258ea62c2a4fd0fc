# xer.gdb: the command `collector` for gdb, which records a program with Xer while it runs under the debugger. Load this file with
# gdb's command `source`.
#
# The subcommands are those of dbx in Solaris Studio; `help collector` lists them. If gdb starts the program, xcollect is gdb's
# exec-wrapper, and executes the program in its own place. If the program is already running, gdb detaches while xcollect -P enters
# it, and attaches again. (gdb itself cannot call functions in the program for this: gdb 13 cannot do so on CPUs with AMX, and it
# does not check whether a thread is inside of malloc.)
# xcollect is looked up as $XCOLLECT, then in the folder where it was installed with this file, then in PATH.
# See doc/decisions/44-gdb.md.
python
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time


class XerError(gdb.GdbError):
    pass


class Recorder:
    """What is to be recorded, and the state of the recording."""

    # Subcommand: (option of xcollect, words that stand before its value)
    SETTINGS = {
        "profile": ("-p", ("timer",)), "heaptrace": ("-H", ()), "iotrace": ("-i", ()), "mpitrace": ("-m", ()), "archive": ("-A", ()),
        "limit": ("-L", ()), "jprofile": ("-j", ()), "duration": ("-t", ()),
    }
    OTHERS = {"hwprofile": "-h", "synctrace": "-s", "sample": "-S"}
    STORE = {"directory": "-d", "experiment": "-o", "filename": "-o", "group": "-g"}
    # The signals that take a sample and pause events, and the recorder's tick.
    SAMPLE, PAUSE, TICK = 60, 59, 61

    def __init__(self):
        self.options = {}
        self.counters = []
        self.enabled = False
        self.beside = None  # the xcollect that has attached to the process
        self.paused = None  # the process that was paused
        self.at_stops = False
        self.traps_hidden = False

    def xcollect(self):
        for path in (os.environ.get("XCOLLECT"), "@PREFIX@/bin/xcollect", shutil.which("xcollect")):
            if path and os.access(path, os.X_OK):
                return path
        raise XerError("xcollect is not found: set XCOLLECT to its path")

    def command(self, more=()):
        words = [self.xcollect(), "-l", str(self.SAMPLE), "-y", "%d,r" % self.PAUSE]
        for option in sorted(self.options):
            words += [option, self.options[option]]
        return words + list(more)

    def set(self, option, value):
        """Set an option. `xcollect -n` checks the value first, and records nothing."""
        if value is None:
            self.options.pop(option, None)
        else:
            tried = subprocess.run([self.xcollect(), "-n", option, value, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
            if tried.returncode:
                said = tried.stderr.strip().splitlines()
                raise XerError(said[-1] if said else "xcollect refuses %s %s" % (option, value))
            self.options[option] = value
        self.set_wrapper()
        if self.process() and self.recorded():
            print("This takes effect with the next recording")

    def process(self):
        """The process that this gdb traces; not a core file, and not a process on another machine."""
        pid = gdb.selected_inferior().pid
        return pid if pid and self.status_of(pid, "TracerPid") == str(os.getpid()) else None

    # ---- the state of the process, from /proc

    def status_of(self, pid, key):
        try:
            with open("/proc/%d/status" % pid) as lines:
                for line in lines:
                    if line.startswith(key + ":"):
                        return line.split(":", 1)[1].strip()
        except OSError:
            pass
        return ""

    def catches(self, pid, number):
        return int(self.status_of(pid, "SigCgt") or "0", 16) >> (number - 1) & 1

    def recorded(self):
        """The experiment of the process, whose log the recorder keeps open. None: the process is not recorded."""
        folder = "/proc/%d/fd" % (self.process() or 0)
        try:
            for name in os.listdir(folder):
                path = os.readlink(os.path.join(folder, name))
                if path.endswith(".er/log.xml") and self.locks(path):
                    return os.path.dirname(path)
        except OSError:
            pass
        return None

    def locks(self, path):
        """Whether the log is locked: the recorder locks it, readers do not."""
        with open(path, "rb") as log:
            try:
                fcntl.lockf(log, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def takes_signal(self, path, setting):
        """The signal that this setting of the experiment names, 0: none. Settings are in the log of the founder."""
        founder = path
        while os.path.dirname(founder).endswith(".er"):
            founder = os.path.dirname(founder)
        with open(os.path.join(founder, "log.xml"), errors="replace") as log:
            found = re.search('name="%s" value="([0-9]+)"' % setting, log.read(65536))
        return int(found.group(1)) if found else 0

    def is_about_to_begin(self):
        """Whether xcollect has started it, and the recorder has not removed its variable yet."""
        try:
            with open("/proc/%d/environ" % (self.process() or 0), "rb") as variables:
                return b"\0XER_RECORD=" in b"\0" + variables.read()
        except OSError:
            return False

    # ---- signals of the recorder that are not gdb's business

    def handle(self, signals, what):
        """gdb asks back about SIGTRAP, unless `confirm` is off."""
        confirm = gdb.parameter("confirm")
        gdb.execute("set confirm off", to_string=True)
        for name in signals:
            gdb.execute("handle %s %s" % (name, what), to_string=True)
        gdb.execute("set confirm %s" % ("on" if confirm else "off"), to_string=True)

    def has_perf_events(self):
        folder = "/proc/%d/fd" % (self.process() or 0)
        try:
            return any("[perf_event]" in os.readlink(os.path.join(folder, name)) for name in os.listdir(folder))
        except OSError:
            return False

    def settle(self, event=None):
        """If gdb attaches to a process that is recorded, SIGTRAP comes at each sample until the recorder notices the debugger, and uses
        timers. gdb tells its own breakpoints and steps from that. The signal must not be passed: a step in code that blocks it makes
        the kernel forget its handler."""
        hide = self.has_perf_events() and self.recorded() is not None
        if hide != self.traps_hidden:
            self.handle(["SIGTRAP"], "nostop noprint nopass" if hide else "stop print nopass")
        if hide and not self.traps_hidden:
            self.handle(["SIG%d" % self.TICK], "nostop noprint pass")
        self.traps_hidden = hide

    # ---- a program that gdb starts

    def enable(self):
        self.handle(["SIG%d" % number for number in (self.SAMPLE, self.PAUSE, self.TICK)], "nostop noprint pass")
        if self.process():
            self.enable_running()
        self.enabled = True
        self.set_wrapper()

    def enable_running(self):
        path = self.recorded()
        if path:
            print("Process %d is being recorded already: %s" % (self.process(), path))
        elif self.is_about_to_begin():
            print("Process %d will be recorded from its beginning" % self.process())
        else:
            self.away(self.attach)

    def set_wrapper(self):
        if self.enabled:
            gdb.execute("set exec-wrapper " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in self.command(["--"])))

    def disable(self):
        if self.enabled:
            gdb.execute("unset exec-wrapper")
        self.enabled = False
        if self.beside and self.beside.poll() is None and self.process():
            self.away(self.leave)
        elif self.recorded():
            print("Process %d is recorded to its end; `collector pause` pauses its events" % self.process())
        self.beside = None

    # ---- a program that runs

    def away(self, act):
        """A thread can have only one tracer: detach from the process, act, and attach again."""
        pid = self.process()
        gdb.execute("detach", to_string=True)
        try:
            act(pid)
        finally:
            gdb.execute("attach %d" % pid, to_string=True)

    def attach(self, pid):
        self.beside = subprocess.Popen(self.command(["-P", str(pid)]), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stdin=subprocess.DEVNULL, text=True, start_new_session=True,
                                       env=dict(os.environ, XER_DEBUGGER="1"))
        said = []
        for line in self.beside.stderr:
            if line.startswith("Attached to"):
                print("\n".join(said + ["Recording process %d" % pid]))
                return
            said.append(line.strip())
        self.beside = None
        print("\n".join(said[:-1]))
        raise XerError(said[-1] if said else "xcollect has ended without a word")

    def wait_for_signals(self, pid):
        """Samples that were asked for are taken when the process runs, which may be late on a busy machine: at the end of the
        recording it drops the signals."""
        ours = 1 << (self.SAMPLE - 1) | 1 << (self.PAUSE - 1)
        for _ in range(500):
            if not any(int(self.status_of(pid, name) or "0", 16) & ours for name in ("SigPnd", "ShdPnd")):
                return
            time.sleep(0.02)

    def leave(self, pid):
        self.wait_for_signals(pid)
        self.beside.send_signal(signal.SIGINT)
        self.beside.wait(timeout=60)
        print("The recording of process %d has ended" % pid)

    # ---- while it is recorded

    def send(self, number, setting):
        """Send a signal, if the recorder handles it: otherwise it would kill the program."""
        pid, path = self.process(), self.recorded()
        if not pid:
            raise XerError("there is no process")
        if not path:
            raise XerError("the recording of process %d has not begun yet" % pid if self.is_about_to_begin() else
                           "process %d is not recorded: see `collector enable`" % pid)
        if self.takes_signal(path, setting) != number or not self.catches(pid, number):
            raise XerError("the recording of process %d takes no such signal: it was not begun by `collector enable`" % pid)
        try:
            os.kill(pid, number)
        except OSError as error:
            raise XerError("process %d: %s" % (pid, error.strerror))

    def sample(self, name=None):
        self.send(self.SAMPLE, "sample_signal")
        if name:
            self.leave_name(name)

    def leave_name(self, name):
        """Write the name to where the recorder finds it when it handles the signal."""
        try:
            at = int(gdb.parse_and_eval("(unsigned long)&xer_sample_names"))
            memory = gdb.selected_inferior()
            before = bytes(memory.read_memory(at, 1024)).split(b"\0")[0]
            line = name.replace("\n", " ").encode()[:120] + b"\n"
            if len(before) + len(line) < 1024:
                memory.write_memory(at, before + line + b"\0")
        except gdb.error:
            print("The sample has no name: the recorder's memory cannot be written")

    def pause(self, paused):
        is_paused = self.paused is not None and self.paused == self.process()
        if paused != is_paused:
            self.send(self.PAUSE, "pause_signal")
            self.paused = self.process() if paused else None
        elif not self.recorded():
            raise XerError("no process is recorded")

    def on_stop(self, event):
        self.settle()
        if self.at_stops and self.process():
            try:
                self.sample()
            except XerError:
                pass

    def show(self, only="all"):
        names = {v[0]: k for k, v in self.SETTINGS.items()}
        names.update({v: k for k, v in self.OTHERS.items()})
        names.update({v: "store" for v in self.STORE.values()})
        for option in sorted(self.options):
            name = names.get(option, option)
            if only in ("all", name):
                print("%-12s %s" % (name, self.options[option]))

    def status(self):
        pid, path = self.process(), self.recorded()
        print("collector    %s" % ("on" if self.enabled else "off"))
        if path:
            print("recording    process %d, events %s" % (pid, "paused" if self.paused == pid else "on"))
            print("experiment   %s" % path)
        elif pid and self.is_about_to_begin():
            print("recording    process %d, from its first constructor on" % pid)
        elif pid:
            print("recording    off: process %d is not recorded" % pid)
        else:
            print("recording    off: there is no process")


class CollectorCommand(gdb.Command):
    """Record the program with Xer.

collector enable | disable       record the program that runs, or that is run next
collector pause | resume         stop and go on recording events
collector profile on|off|timer INTERVAL
collector hwprofile on|off|list|counter EVENT [INTERVAL] ...|addcounter EVENT [INTERVAL]
collector synctrace on|off|threshold MICROSECONDS|threshold calibrate|all|native|java
collector heaptrace on|off, iotrace on|off, mpitrace on|off
collector sample periodic|manual|period SECONDS|record [NAME]
collector dbxsample on|off       a sample at each stop of the debugger
collector archive on|off|copy, limit MEGABYTES, duration TIME, jprofile on|off
collector store directory DIRECTORY | experiment NAME.er | group NAME.erg
collector show [SETTING] | status | version

Samples and pauses take effect when the program goes on."""

    def __init__(self, recorder):
        super().__init__("collector", gdb.COMMAND_RUNNING)
        self.recorder = recorder

    def complete(self, text, word):
        names = list(Recorder.SETTINGS) + [name[3:] for name in dir(self) if name.startswith("do_")]
        return sorted(name for name in names if name.startswith(word))

    def invoke(self, text, from_tty):
        words = gdb.string_to_argv(text)
        name = words[0] if words else "show"
        method = getattr(self, "do_" + name, None)
        if method:
            method(words[1:])
        elif name in Recorder.SETTINGS:
            self.change(name, words[1:])
        elif name == "tha":
            raise XerError("Xer has no thread analyzer")
        else:
            raise XerError("collector has no `%s`: see `help collector`" % name)

    def change(self, name, words):
        option, before = Recorder.SETTINGS[name]
        if len(words) == 2 and words[0] in before:
            words = words[1:]
        if len(words) != 1 or words[0] in before:
            raise self.usage(name)
        self.recorder.set(option, words[0])

    def usage(self, name):
        lines = [part.strip() for line in self.__doc__.splitlines() for part in line.replace("collector ", "").split(", ")]
        return XerError("usage: collector " + next((line for line in lines if line.startswith(name)), name))

    def nothing_more(self, name, words):
        if words:
            raise self.usage(name)

    def do_enable(self, words):
        self.nothing_more("enable", words)
        self.recorder.enable()

    def do_disable(self, words):
        self.nothing_more("enable", words)
        self.recorder.disable()

    def do_pause(self, words):
        self.nothing_more("pause", words)
        self.recorder.pause(True)

    def do_resume(self, words):
        self.nothing_more("pause", words)
        self.recorder.pause(False)

    def do_synctrace(self, words):
        recorder = self.recorder
        level, _, scope = recorder.options.get("-s", "on").partition(",")
        if words and set(words) <= {"native", "java"}:
            scope = "".join(letter for word, letter in (("native", "n"), ("java", "j")) if word in words)
            level = "on" if level == "off" else level
        elif len(words) == 2 and words[0] == "threshold":
            level = words[1]
        elif len(words) == 1 and words[0] in ("on", "off", "all"):
            level = words[0]
        else:
            raise self.usage("synctrace")
        recorder.set("-s", level if level == "off" or not scope else level + "," + scope)

    def do_hwprofile(self, words):
        recorder = self.recorder
        if words == ["list"]:
            print(subprocess.run([recorder.xcollect(), "-h"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True).stdout.strip())
        elif words == ["off"]:
            recorder.set("-h", None)
        elif words == ["on"]:
            if not recorder.counters:
                raise XerError("which counters? See `collector hwprofile list`, and choose by `collector hwprofile counter EVENT`")
            recorder.set("-h", ",".join(recorder.counters))
        elif len(words) > 1 and words[0] in ("counter", "addcounter"):
            chosen = [word for given in words[1:] for word in given.split(",")]
            chosen = (recorder.counters if words[0] == "addcounter" else []) + chosen
            recorder.set("-h", ",".join(chosen))
            recorder.counters = chosen
        elif len(words) == 1 and words[0] not in ("counter", "addcounter"):
            self.do_hwprofile(["counter"] + words)
        else:
            raise self.usage("hwprofile")

    def do_sample(self, words):
        if words[:1] == ["record"] and len(words) <= 2:
            self.recorder.sample(words[1] if len(words) == 2 else None)
        elif words in (["periodic"], ["manual"]):
            self.recorder.set("-S", "on" if words[0] == "periodic" else "off")
        elif words[:1] == ["period"] and len(words) == 2:
            self.recorder.set("-S", words[1])
        else:
            raise self.usage("sample")

    def do_dbxsample(self, words):
        if words not in (["on"], ["off"]):
            raise self.usage("dbxsample")
        self.recorder.at_stops = words == ["on"]

    def do_store(self, words):
        if len(words) != 2 or words[0] not in Recorder.STORE:
            raise self.usage("store")
        self.recorder.set(Recorder.STORE[words[0]], words[1])

    def do_show(self, words):
        known = list(Recorder.SETTINGS) + list(Recorder.OTHERS) + ["all", "store"]
        if len(words) > 1 or (words and words[0] not in known):
            raise self.usage("show")
        self.recorder.show(words[0] if words else "all")

    def do_status(self, words):
        self.nothing_more("show", words)
        self.recorder.status()
        self.recorder.show()

    def do_version(self, words):
        self.nothing_more("show", words)
        print(subprocess.run([self.recorder.xcollect(), "-V"], stdout=subprocess.PIPE, text=True).stdout.strip())


xer_recorder = Recorder()
CollectorCommand(xer_recorder)
gdb.events.stop.connect(xer_recorder.on_stop)
gdb.events.new_objfile.connect(xer_recorder.settle)
xer_recorder.settle()
end
