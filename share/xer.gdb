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
import os
import shutil
import signal
import subprocess


class XerError(gdb.GdbError):
    pass


class Recorder:
    """What is to be recorded, and the state of the recording."""

    # Subcommand: option of xcollect
    SETTINGS = {
        "profile": "-p", "hwprofile": "-h", "synctrace": "-s", "heaptrace": "-H", "iotrace": "-i", "mpitrace": "-m",
        "archive": "-A", "limit": "-L", "jprofile": "-j", "duration": "-t",
    }
    STORE = {"directory": "-d", "experiment": "-o", "filename": "-o", "group": "-g"}
    # The signals that take a sample and pause events, and the recorder's tick.
    SAMPLE, PAUSE, TICK = 60, 59, 61

    def __init__(self):
        self.options = {}
        self.enabled = False
        self.beside = None  # the xcollect that has attached to the process
        self.paused = False
        self.at_stops = False

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

    def process(self):
        pid = gdb.selected_inferior().pid
        return pid if pid else None

    # ---- a program that gdb starts

    def enable(self):
        self.enabled = True
        for signal in (self.SAMPLE, self.PAUSE, self.TICK):
            gdb.execute("handle SIG%d nostop noprint pass" % signal, to_string=True)
        self.warn_java()
        if not self.process():
            self.set_wrapper()
        elif not self.is_loaded():
            self.away(self.attach)

    def set_wrapper(self):
        if self.enabled:
            gdb.execute("set exec-wrapper " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in self.command(["--"])))

    def disable(self):
        self.enabled = False
        gdb.execute("unset exec-wrapper")
        if self.beside:
            self.away(self.leave)

    def warn_java(self):
        name = gdb.current_progspace().filename or ""
        if os.path.basename(name) in ("java", "jsvc"):
            print("Data on Java code is not recorded: what a Java machine does is seen as native code")

    # ---- a program that runs

    def is_loaded(self):
        return any(os.path.basename(o.filename or "") == "libcollector.so" for o in gdb.objfiles())

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
                                       stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        for line in self.beside.stderr:
            if line.startswith("Attached to"):
                print("Recording process %d" % pid)
                return
            if line.startswith("xcollect: "):
                self.beside = None
                raise XerError(line.strip())
            print(line.strip())
        self.beside = None
        raise XerError("xcollect has ended without a word")

    def leave(self, pid):
        self.beside.send_signal(signal.SIGINT)
        self.beside.wait(timeout=60)
        self.beside = None
        print("The recording of process %d has ended" % pid)

    # ---- while it is recorded

    def send(self, number):
        if not self.process() or not self.is_loaded():
            raise XerError("no recording is going on")
        os.kill(self.process(), number)

    def sample(self):
        self.send(self.SAMPLE)

    def pause(self, paused):
        if paused != self.paused:
            self.send(self.PAUSE)
        self.paused = paused

    def on_stop(self, event):
        if self.at_stops and self.process() and self.is_loaded():
            self.sample()

    def show(self):
        print("collector    %s" % ("on" if self.enabled else "off"))
        for option in sorted(self.options):
            print("%-12s %s" % ({v: k for k, v in list(self.SETTINGS.items()) + list(self.STORE.items())}.get(option, option),
                                self.options[option]))


class CollectorCommand(gdb.Command):
    """Record the program with Xer.

collector enable | disable       record the program that runs, or that is run next
collector pause | resume         stop and go on recording events
collector profile on|off|timer INTERVAL
collector hwprofile on|off|COUNTERS
collector synctrace on|off|threshold MICROSECONDS|all
collector heaptrace on|off, iotrace on|off, mpitrace on|off
collector sample periodic|manual|period SECONDS|record
collector dbxsample on|off       a sample at each stop of the debugger
collector archive on|off|copy, limit MEGABYTES, duration TIME, jprofile on|off
collector store directory DIRECTORY | experiment NAME.er | group NAME.erg
collector show | status | version

Samples and pauses take effect when the program goes on."""

    PLAIN = {"on": "on", "off": "off"}

    def __init__(self, recorder):
        super().__init__("collector", gdb.COMMAND_RUNNING)
        self.recorder = recorder

    def complete(self, text, word):
        names = list(Recorder.SETTINGS) + ["enable", "disable", "pause", "resume", "sample", "dbxsample", "store", "show", "status", "version"]
        return [name for name in names if name.startswith(word)]

    def invoke(self, text, from_tty):
        words = gdb.string_to_argv(text)
        name = words[0] if words else "show"
        method = getattr(self, "do_" + name, None)
        if method:
            method(words[1:])
        elif name in Recorder.SETTINGS and len(words) > 1:
            # The value may follow the word `timer` or `threshold`.
            self.recorder.options[Recorder.SETTINGS[name]] = words[-1]
            self.recorder.set_wrapper()
        elif name == "tha":
            raise XerError("Xer has no thread analyzer")
        else:
            raise XerError("see `help collector`")

    def do_enable(self, words):
        self.recorder.enable()

    def do_disable(self, words):
        self.recorder.disable()

    def do_pause(self, words):
        self.recorder.pause(True)

    def do_resume(self, words):
        self.recorder.pause(False)

    def do_sample(self, words):
        if words[:1] == ["record"]:
            self.recorder.sample()
        elif words[:1] in (["periodic"], ["manual"]):
            self.recorder.options["-S"] = "on" if words[0] == "periodic" else "off"
        elif words[:1] == ["period"] and len(words) == 2:
            self.recorder.options["-S"] = words[1]
        else:
            raise XerError("collector sample periodic|manual|period SECONDS|record")
        self.recorder.set_wrapper()

    def do_dbxsample(self, words):
        self.recorder.at_stops = words[:1] == ["on"]

    def do_store(self, words):
        if len(words) != 2 or words[0] not in Recorder.STORE:
            raise XerError("collector store directory DIRECTORY | experiment NAME.er | group NAME.erg")
        self.recorder.options[Recorder.STORE[words[0]]] = words[1]
        self.recorder.set_wrapper()

    def do_show(self, words):
        self.recorder.show()

    do_status = do_show

    def do_version(self, words):
        print(subprocess.run([self.recorder.xcollect(), "-V"], stdout=subprocess.PIPE, text=True).stdout.strip())


xer_recorder = Recorder()
CollectorCommand(xer_recorder)
gdb.events.stop.connect(xer_recorder.on_stop)
end
