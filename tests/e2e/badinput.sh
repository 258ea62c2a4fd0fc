# Readers trust no byte of their input: damaged, foreign and missing input.
. "$(dirname "$0")/lib.sh"

# refused CLAIM PATH: no table, one clear line, exit 1
refused()
{
	limited 20 "$xer_print" -functions "$2" >bad.txt 2>bad.err
	is "$1: exit status, one line, and no table" "1 1 " "$? $(wc -l <bad.err) $(cat bad.txt)"
}

refused "a missing experiment" missing.er
mkdir empty.er
refused "an empty directory" empty.er
touch file.er
refused "a file" file.er
mkdir foreign.er && echo '<html><body/></html>' >foreign.er/log.xml
refused "a foreign log.xml" foreign.er
mkdir text.er && echo 'not xml' >text.er/log.xml
refused "a log.xml that is not XML" text.er
mkdir pipe.er && mkfifo pipe.er/log.xml
refused "a pipe as log.xml" pipe.er
mkdir bomb.er && printf '<?xml version="1.0"?>\n<!DOCTYPE experiment [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<experiment version="1.0"><process cwd="&b;"/></experiment>\n' >bomb.er/log.xml
refused "entities" bomb.er

record good -p hi -H on -S 0.1 -- "$programs/deep" 30 0.3
cp -r good.er future.er && sed -i 's/<experiment version="1\.[0-9]*">/<experiment version="9.0">/' future.er/log.xml
refused "another major version" future.er

# damaged CLAIM DIRECTORY: the reader answers, with exit status 0 or 1 and a word about the file, and never crashes
damaged()
{
	limited 20 "$xer_print" -header -functions -leaks -statistics "$2" >bad.txt 2>bad.err
	local status=$?
	[ $status = 1 ] && grep -q "$3" bad.err
	is "$1: exit 1 and a warning that names $3" "0 (1)" "$? ($status)"
}

for stream in heaptrace frameinfo profile overview; do
	rm -rf damaged.er && cp -r good.er damaged.er
	printf '\377\377\377\377\377\377\377\377' | dd of=damaged.er/$stream bs=1 seek=80 conv=notrunc 2>/dev/null
	damaged "overwritten bytes in $stream" damaged.er $stream
	rm -rf damaged.er && cp -r good.er damaged.er
	head -c 20 good.er/$stream >damaged.er/$stream
	damaged "$stream cut in its header" damaged.er $stream
	rm -rf damaged.er && cp -r good.er damaged.er
	head -c 4096 /dev/urandom >damaged.er/$stream
	damaged "$stream of random bytes" damaged.er $stream
	rm -f damaged.er/$stream && mkfifo damaged.er/$stream
	damaged "$stream is a pipe" damaged.er $stream
done

crashes=0
for i in $(seq 1 60); do
	rm -rf damaged.er && cp -r good.er damaged.er
	file=$(echo heaptrace frameinfo profile overview log.xml map.xml | tr ' ' '\n' | sed -n "$((i % 6 + 1))p")
	size=$(stat -c %s damaged.er/$file)
	for hit in 1 2 3 4 5; do
		head -c 4 /dev/urandom | dd of=damaged.er/$file bs=1 seek=$(((RANDOM * 32768 + RANDOM) % size)) conv=notrunc 2>/dev/null
	done
	limited 20 "$xer_print" -header -functions -calltree -leaks damaged.er >bad.txt 2>bad.err
	status=$?
	if [ $status -gt 1 ]; then
		crashes=$((crashes + 1))
		echo "status $status with $file damaged"
		cp -r damaged.er "crash.$i.er"
	fi
done
is "60 randomly damaged experiments: no crash, no hang" 0 $crashes

"$xer_print" -functons good.er >bad.txt 2>bad.err
is "an unknown command is 2" 2 $?
contains "with the nearest match" "functions" bad.err
"$xcollect" -A off -o odd.er sh -c : $'odd \xff\x01 <&"' 2>/dev/null
"$xer_print" -header odd.er >odd.txt
is "odd bytes in arguments: readable" 0 $?
