import subprocess
import time


def rest():
    time.sleep(0.2)


def ask():
    return subprocess.run(["sh", "-c", "sleep 0.4; echo done"], capture_output=True).stdout


rest()
ask()
