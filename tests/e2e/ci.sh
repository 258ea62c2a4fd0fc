# The jobs of the guide's page on continuous integration (doc/guide/ci.md): the steps of both run as they stand there, in a
# repository with a target branch, of a version that is as fast as that, and of one that is slower and leaks more.
house=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"

if ! have git; then
	skip "the jobs of the guide" "no git here" 17
	exit
fi
PATH=$PWD/commands:$BUILD/bin:$PATH
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

# What a job has around it: the package is installed here already, and comments go to files.
mkdir commands
printf '#!/bin/sh\nexec "$@"\n' >commands/sudo
printf '#!/bin/sh\necho "$@" >>"$CI_LOG"\n' >commands/apt-get
printf '#!/bin/sh\necho "gh $*" >>"$CI_LOG"; for last; do :; done; cat "$last" >>"$CI_LOG"\n' >commands/gh
printf '#!/bin/sh\necho "curl $*" >>"$CI_LOG"; cat gate.md >>"$CI_LOG"\n' >commands/curl
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-gcc}" >commands/cc
chmod +x commands/*

# block N: the Nth job of the page
block() { awk -v want="$1" '/^```/ { inside = $0 == "```yaml"; number += inside; next } inside && number == want' "$house/doc/guide/ci.md"; }

# steps_github: NAME<tab>ALWAYS<tab>FILE of each step that runs commands; those are in FILE
steps_github()
{
	block 1 | awk '
		function flush() { if (file != "") print name "\t" always "\t" file; file = ""; name = "-"; always = 0 }
		/^      - / { flush(); inside = 0 }
		/^      (- )?name: / || /^      - name: / { sub(/.*name: /, ""); name = $0; next }
		/^        if: always/ { always = 1; if (file != "") next }
		/^        run: \|/ { file = "step." ++count; printf "" >file; inside = 1; next }
		/^        run: / { sub(/^        run: /, ""); file = "step." ++count; print >file; next }
		/^        [a-z]/ { inside = 0 }
		inside { sub(/^          /, ""); print >file }
		END { flush() }'
}

# steps_gitlab PART: the commands of script or after_script
steps_gitlab() { block 2 | awk -v part="  $1:" '$0 == part { inside = 1; next } /^  [a-z]/ { inside = 0 } inside { sub(/^    - /, ""); print }'; }

# A repository whose target branch is fast. The program is smaller than in the guide.
git init -q --bare origin.git
git init -q work
(
	cd work || exit 1
	git symbolic-ref HEAD refs/heads/main
	sed 's/: 200000;/: 40000;/' "$house/doc/guide/programs/orders.c" >orders.c
	printf 'orders: orders.c\n\tcc -g -O1 -pthread -o $@ $<\n' >Makefile
	mkdir ci
	touch ci/xer_0.1_amd64.deb
	git add -A
	git -c user.name=test -c user.email=test@localhost commit -qm main
	git remote add origin ../origin.git
	git push -q origin main
) >git.log 2>&1
is "there is a repository" 0 $?

# checkout NAME SED: a clone with a change
checkout()
{
	mkdir "$1"
	git clone -q -b main origin.git "$1/repository" >>git.log 2>&1
	sed -i "$2" "$1/repository/orders.c"
}

# github NAME: run the steps of the job in NAME/repository; its exit status is that of the first step that fails
github()
{
	local name always file status=0 result
	(cd "$1" && steps_github >steps)
	while IFS=$'\t' read -r name always file; do
		[ $status = 0 ] || [ "$always" = 1 ] || continue
		(cd "$1/repository" && CI_LOG=../log GITHUB_BASE_REF=main GITHUB_HEAD_REF=change GITHUB_STEP_SUMMARY=../summary limited 60 bash -e "../$file" >>../out 2>>../err </dev/null)
		result=$?
		[ $status != 0 ] || [ $result = 0 ] || failed=$name
		[ $status != 0 ] || status=$result
	done <"$1/steps"
	return $status
}

checkout same 's/unused/unused/'
failed=none
github same
is "a version that is as fast passes" "0 none" "$? $failed"
[ "$failed" = none ] || head -5 same/err
is "all steps ran" 6 "$(wc -l <same/steps)"
contains "the package is installed" '^install -y ./ci/xer_0.1_amd64.deb$' same/log
contains "the table is a comment" '^\| holds \|.*`heapleakbytes <= base` \|$' same/log
contains "with the changes of functions" '^### changes$' same/log
is "and the summary of the job" 0 "$(cmp -s same/summary same/repository/gate.md; echo $?)"
if have cmark-gfm; then
	is "they are tables" 2 "$(cmark-gfm -e table same/repository/gate.md | grep -c '<table>')"
else
	skip "they are tables" "no cmark-gfm here"
fi

# Twice the work for each order, and twice the leaks.
checkout slower 's/i < 400/i < 800/; s/order_count % 100 == 0/order_count % 50 == 0/'
github slower
is "one that is slower fails" "3 gate" "$? $failed"
is "in time and in bytes" "FAILED FAILED FAILED" "$(sed -nE 's/^\| (holds|FAILED|undecided) \|.*/\1/p' slower/repository/gate.md | head -3 | paste -sd' ')"
contains "the comment is written all the same" '^gh pr comment change --body-file gate.md$' slower/log
contains "with the function that became slower" '^\| `e.totalcpu` \| more \|.* price \|$' slower/log
is "the JUnit report has failures" 3 "$(grep -c '<failure' slower/repository/gate.xml)"

# GitLab runs each line; after_script whatever the others did.
mkdir lab
git clone -q -b main origin.git lab/repository >>git.log 2>&1
sed -i 's/i < 400/i < 800/' lab/repository/orders.c
steps_gitlab script >lab/script
steps_gitlab after_script >lab/after
is "the job has its lines" "6 2" "$(wc -l <lab/script) $(wc -l <lab/after)"
lab() { (cd lab/repository && CI_LOG=../log CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main GATE_TOKEN=t CI_API_V4_URL=http://localhost CI_PROJECT_ID=7 CI_MERGE_REQUEST_IID=8 limited 60 bash -e "../$1" >>../out 2>>../err </dev/null); }
lab script
is "GitLab: one that is slower fails" 3 $?
lab after
is "GitLab: what comes after runs" 0 $?
contains "GitLab: the comment goes to the merge request" '^curl .* http://localhost/projects/7/merge_requests/8/notes$' lab/log
contains "GitLab: with the table" '^\| FAILED \|.*`totalcpu <= 1.05\*base` \|$' lab/log
