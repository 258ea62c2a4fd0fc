# Minimal systems of other distributions, made by debootstrap and kept in ${XDG_CACHE_HOME:-~/.cache}/xer. Sourced by scripts that stand
# in the root of the tree, want root, and have set $limit (seconds for one command in a system). $source is the tree.
source=$PWD
store=${XDG_CACHE_HOME:-$HOME/.cache}/xer

# Exit status 77: it cannot be tried here.
cannot() { echo "${0##*/}: $1"; exit 77; }

# chroots_ready: end with 77 where no system can be made, or wait until no other run uses them
chroots_ready()
{
	[ "$(id -u)" = 0 ] || cannot "it wants root, for chroot and mounts"
	command -v debootstrap >/dev/null || apt-get install -q -y debootstrap >/dev/null 2>&1 </dev/null || cannot "debootstrap is not there"
	unshare -m -p -f true || cannot "namespaces cannot be made here"
	mkdir -p "$store"
	exec 9>"$store/lock" && flock -w "$limit" 9 || cannot "another run goes on" # its systems are for one run at a time
}

# remove_tree DIRECTORY: remove a system, but nothing that is mounted in it: then it stays, with a message and status 1
remove_tree()
{
	if grep -qF " ${1:?}/" /proc/self/mounts; then
		echo "${0##*/}: something is mounted below $1: it is not removed"
		return 1
	fi
	rm -rf --one-file-system "$1"
}

# distribution SUITE: sets $components and $family from tests/distributions; status 1 if it has no such row
distribution()
{
	local name
	while read -r name components family; do
		[ "$name" != "$1" ] || return 0
	done < <(grep -v '^#' "$source/tests/distributions")
	return 1
}

# make_base SUITE [STAMP]: a minimal system with git, make and a compiler, and a user xer. With a STAMP, one of its own, SUITE.STAMP, in
# which nothing is ever installed; without, it is made again when set-up changes. UNVERIFIED=yes takes packages whose keys are not
# here: Debian has none of Ubuntu's.
make_base()
{
	local system=$1${2:+.$2} root stamp check=() script='' components family file
	root=$store/$system
	distribution "$1" || return
	stamp=${2:-$(sha1sum <"$source/.ci/setup")}
	[ "$(cat "$root/.xer" 2>/dev/null)" != "$stamp" ] || return 0
	remove_tree "$root" || return
	# Suites of Ubuntu that are newer than this debootstrap are made as the older ones are.
	[ "$family" != ubuntu ] || [ -e "/usr/share/debootstrap/scripts/$1" ] || script=jammy
	[ "${UNVERIFIED:-no}" = no ] || check=(--no-check-gpg)
	# In a mount namespace of its own: what debootstrap mounts goes with it, also if it is killed.
	timeout 1800 unshare -m --propagation private debootstrap --variant=minbase "${check[@]}" --components="$components" "$1" "$root" "" "$script" || return
	# The machine's own way to the archives. What a package brought is left: the same package would ask there which one to keep.
	for file in /etc/apt/apt.conf.d/*; do
		dpkg-query -S "$file" >/dev/null 2>&1 || cp -n "$file" "$root/etc/apt/apt.conf.d/"
	done
	cp /etc/resolv.conf "$root/etc/"
	within "$system" 'apt-get update -q && apt-get install -q -y --no-install-recommends git make gcc locales && localedef -i tr_TR -f UTF-8 tr_TR.UTF-8 &&
		useradd -m -s /bin/bash xer' || return
	echo "$stamp" >"$root/.xer"
}

# layer_new SUITE: sets $layer to a new folder, in whose upper/ everything stands that commands change if LAYER names it
layer_new()
{
	layer=$store/$1.layer
	remove_tree "$layer" || return
	mkdir -p "$layer/upper" "$layer/work" "$layer/root"
}
layer_remove() { remove_tree "${layer:?}"; }

# within SUITE COMMAND: a shell's command in a system. Mounts and processes go with it. LAYER: the system stays as it is.
within()
{
	local root=$store/$1
	[ -z "${LAYER:-}" ] || root=$LAYER/root
	# shellcheck disable=SC2016
	timeout -k 20 "$limit" unshare -m -p -f --kill-child sh -c 'mount --make-rprivate / &&
		{ [ -z "$2" ] || mount -t overlay -o "lowerdir=$3,upperdir=$2/upper,workdir=$2/work" overlay "$0"; } && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" &&
		mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" && mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm" &&
		exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$0" /bin/bash -c "cd; $1"' "$root" "$2" "${LAYER:-}" "$store/$1" </dev/null
}

# clone SUITE DIRECTORY OWNER: a fresh clone in a system
clone()
{
	local directory=$store/$1$2
	rm -rf --one-file-system "$directory"
	mkdir -p "$(dirname "$directory")"
	git clone -q --no-hardlinks "$source" "$directory" || return
	within "$1" "chown -R $3: '$(dirname "$2")'"
}
