# Completions in the shells themselves: what is typed with Tab at a terminal runs programs that say what they were called with.
. "$(dirname "$0")/lib.sh"
share=$BUILD/share
mkdir -p bin home work/test.1.er work/other zsh
chmod go-w home zsh
cd work || exit
for program in xcollect xer_print xer_archive xer_trcrpt; do
	printf '#!/bin/sh\necho "ran: %s $*"\n' $program >../bin/$program
	chmod +x ../bin/$program
done
export HOME=$PWD/../home PATH=$PWD/../bin:$PATH TERM=xterm-256color HISTFILE=/dev/null
have script || { skip "completions (27 claims)" "no script"; exit 0; }

# What the user types, and what runs then.
cat >../keys <<'END'
xcollect --omp=st\t true	xcollect --omp=stacks true
xcollect -p h\t-H of\ttrue	xcollect -p hi -H off true
xcollect --functr\t=on true	xcollect --functrace=on true
xcollect -h page-f\ttrue	xcollect -h page-faults true
xer_print -calltr\ttest.1.er	xer_print -calltree test.1.er
xer_print -viewmode exp\t-fsumm\ttes\t	xer_print -viewmode expert -fsummary test.1.er
xer_print -export speeds\tout.json test.1.er	xer_print -export speedscope out.json test.1.er
xer_archive -a usedl\t-veri\ttest.1.er	xer_archive -a usedldobjects -verify test.1.er
xer_trcrpt --upd\tx test.1.er	xer_trcrpt --update x test.1.er
END

# start SHELL: its interactive form, with the completions of the build and nothing else
start()
{
	case $1 in
	bash) echo "bash --norc --noprofile -i" ;;
	zsh) echo "zsh -f -i" ;;
	fish) echo "fish --private --no-config -i" ;;
	esac
}
prepare()
{
	case $1 in
	bash) for name in xcollect xer_print xer_archive xer_trcrpt; do echo ". $share/bash/$name"; done ;;
	zsh) echo "fpath=($share/zsh \$fpath); autoload -Uz compinit; compinit -u -D" ;;
	fish) for name in xcollect xer_print xer_archive xer_trcrpt; do echo "source $share/fish/$name.fish"; done ;;
	esac
}

# type SHELL: start it and type all keys; what its terminal shows goes to shown.SHELL. A pause after each line lets it finish:
# what is typed ahead while a shell works, some of them drop.
type_in()
{
	{
		sleep 1
		prepare "$1"
		sleep 1
		while IFS=$'\t' read -r keys _; do
			printf "$keys"
			sleep 0.4
			printf '\n'
			sleep 0.3
		done <../keys
		sleep 0.5
		echo exit
	} | timeout -k 5 60 script -qec "stty rows 50 cols 200; $(start "$1")" /dev/null >"../shown.$1" 2>&1
}

for shell in bash zsh fish; do
	have $shell && type_in $shell &
done
wait
for shell in bash zsh fish; do
	if ! have $shell; then
		skip "completions for $shell (9 claims)" "no $shell"
		continue
	fi
	while IFS=$'\t' read -r keys expected; do
		tr -d '\r' <../shown.$shell | grep -a 'ran: ' | sed 's/.*ran: //' >../ran.$shell
		contains "$shell: $keys" "^$expected/? *\$" ../ran.$shell
	done <../keys
done
