"""Run what may do anything: it can write to its own folder alone, and ends with whom it works for.

`alone` runs a program in a PID namespace. The kernel ends all processes of a namespace with its first one, whatever session they
are in. The first one ends with unshare, by --kill-child, and unshare with its parent, by --pdeathsig: so nothing outlives a run
that is interrupted, or killed. `run` gives each command such a namespace, which ends at its time limit at last.

tests/run-self asks whether children in sessions of their own are gone then."""
import os
import signal
import subprocess
import sys


def unshare():
    return ["unshare"] + ([] if os.geteuid() == 0 else ["-r"]) + ["-m", "-p", "-f", "--kill-child", "--mount-proc"]


def alone(arguments):
    """Run this program again, as the first process of a namespace; its exit status. It is killed where this one is told to end."""
    process = None

    def end(number, _):
        if process:
            process.kill()
        sys.exit(128 + number)

    # Not before there is something to kill: a signal waits until then.
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    for number in signals:
        signal.signal(number, end)
    command = ["setpriv", "--pdeathsig", "KILL"] + unshare() + [sys.executable] + arguments
    process = subprocess.Popen(command, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, signals))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    return process.wait()


def run(command, seconds, **options):
    """Exit status and output; 124 if it did not end. What it leaves behind ends with it."""
    process = subprocess.Popen(unshare() + command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 124, b""


# Only the copy can be written to, as a mutant may delete whatever it finds. The copy stays where it was built, even below /tmp,
# because the debug information of the test programs names the paths of their sources. The tests are not the first process of their
# namespace: that one would have to wait for what other tests orphan.
CONFINE = """mount --make-rprivate / && mount --bind "$0" /mnt && mount -o remount,bind,ro / && mount -t tmpfs -o size=4g tmpfs /tmp &&
mount -t tmpfs tmpfs /dev/shm && mkdir -p "$0" && mount --bind /mnt "$0" && cd "$0" && export HOME=/tmp && { "$@"; status=$?; exit "$status"; } """


def confined(tree, command, seconds):
    return run(["sh", "-c", CONFINE, tree] + command, seconds)
