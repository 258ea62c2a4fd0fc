# Every data file is a valid XRay FDR log at every moment, read by LLVM's own tool.
. "$(dirname "$0")/lib.sh"
have llvm-xray || { skip "llvm-xray reads our files" "llvm-xray is not installed"; exit 0; }

# xray CLAIM NAME [FILES]: llvm-xray reads all data files of NAME.er, 4 or FILES of them
xray()
{
	local stream found=0
	for stream in frameinfo overview profile heaptrace synctrace iotrace usertrace usertrace1; do
		[ -e "$2.er/$stream" ] || continue
		found=$((found + 1))
		succeeds "$1: fdr-dump $stream" timeout 60 llvm-xray fdr-dump -verify "$2.er/$stream"
		succeeds "$1: convert $stream" timeout 60 llvm-xray convert -f yaml -o "$2.$stream.yaml" "$2.er/$stream"
	done
	is "$1: data files" "${3:-4}" $found
}

record ended -p hi -H on -S 0.1 -- "$programs/deep" 30 0.5
xray "a finished experiment" ended
record all -p hi -H on -s all -i on -S 0.1 -- "$programs/sync_known" 8
xray "all kinds of data" all 6
record user -p off --component=a:021:mode=circular:size=0.1 --trace-mode=single:0.1 -- "$programs/user_work" 8 200
xray "user events, a ring and a limited trace" user 3
if [ -e ended.heaptrace.yaml ]; then
	events=$(grep -c 'kind: .*custom-event' ended.heaptrace.yaml)
	rounds=$(awk '/^rounds/ { print $2 }' ended.out)
	within "every heap event is there for llvm-xray" $((2 * rounds)) $((2 * rounds + 20)) "$events"
fi

# The time of a buffer stands in Wall in seconds and microseconds, in NewCPUId in ticks.
limited 60 llvm-xray fdr-dump ended.er/heaptrace >dump.txt 2>dump.err
hz=$(sed -n 's/.* hz="\([0-9]*\)".*/\1/p' ended.er/log.xml | head -1)
is "Wall has the time of each buffer" "said" "$(said_in dump.txt)$(LC_ALL=C awk -v hz="$hz" '
	sub(/^<Wall Time: seconds = /, "") { wall = $0 + 0 }
	sub(/^<CPU: id = [0-9]+, tsc = /, "") { n++; if (wall - $0 / hz > 1e-6 || $0 / hz - wall > 2e-6) print wall, $0 }
	END { if (n < 2) print n " buffers" }' dump.txt)"

"$xcollect" -o running.er -p hi -H on -S 0.1 "$programs/deep" 30 20 >/dev/null 2>&1 &
pid=$!
sleep 1
kill -STOP $pid
xray "a running experiment" running
kill -CONT $pid
sleep 0.2
kill -KILL $pid
wait $pid 2>/dev/null
xray "a killed experiment" running
