// tree.js: the tree of calls, by function, by line or by load object, and what is counted in it.

/** @typedef {"function"|"line"|"object"|"thread"} By */

/** A tree whose nodes have smaller numbers than those below them; node 0 is <Total>. */
export class Tree {
	/**
	 * @param {Uint32Array} parent
	 * @param {Uint32Array} key what a node is: a function, a frame or a text
	 * @param {By} by
	 */
	constructor(parent, key, by) {
		this.parent = parent;
		this.key = key;
		this.by = by;
		this.count = parent.length;
		/** @type {Uint32Array|null} */
		this.first = null;
		/** @type {Uint32Array|null} */
		this.list = null;
		/** @type {Uint8Array|null} */
		this.isOuter = null;
	}

	/** The nodes below each: list[first[node]] .. list[first[node + 1] - 1]. */
	children() {
		if (this.first && this.list) return {first: this.first, list: this.list};
		const first = new Uint32Array(this.count + 2), list = new Uint32Array(this.count);
		for (let i = 1; i < this.count; i++) first[this.parent[i] + 2]++;
		for (let i = 2; i < first.length; i++) first[i] += first[i - 1];
		for (let i = 1; i < this.count; i++) list[first[this.parent[i] + 1]++] = i;
		this.first = first;
		this.list = list;
		return {first, list};
	}

	/** Is nothing equal above a node? So values of recursive calls count once. */
	outer() {
		if (this.isOuter) return this.isOuter;
		const isOuter = new Uint8Array(this.count);
		for (let i = 0; i < this.count; i++) {
			let at = i;
			do at = this.parent[at];
			while (at !== 0 && this.key[at] !== this.key[i]);
			isOuter[i] = i === 0 || at === 0 ? 1 : 0;
		}
		return (this.isOuter = isOuter);
	}

	/**
	 * Add what is below each node to it.
	 * @param {Float64Array} own
	 * @returns {Float64Array}
	 */
	totals(own) {
		const total = Float64Array.from(own);
		for (let i = this.count - 1; i > 0; i--) total[this.parent[i]] += total[i];
		return total;
	}

	/**
	 * Exclusive and inclusive values by key.
	 * @param {Float64Array} own by node
	 * @param {number} keys how many there are
	 */
	flat(own, keys) {
		const total = this.totals(own), outer = this.outer();
		const exclusive = new Float64Array(keys), inclusive = new Float64Array(keys);
		for (let i = 1; i < this.count; i++) {
			exclusive[this.key[i]] += own[i];
			if (outer[i]) inclusive[this.key[i]] += total[i];
		}
		return {exclusive, inclusive, whole: total[0]};
	}
}

/** Trees by group, and the way from the nodes of the data to theirs. */
export class Forest {
	/** @param {import("./data.js").Data} data */
	constructor(data) {
		this.data = data;
		/** @type {Map<string, {tree: Tree, nodeOf: Uint32Array}>} */
		this.trees = new Map();
		const {frame} = data.nodes;
		this.functionOf = Uint32Array.from(frame, (at) => data.frames.function[at]);
	}

	/**
	 * @param {number} node of the data
	 * @param {By} by
	 */
	keyOf(node, by) {
		if (by === "line") return this.data.nodes.frame[node];
		if (by === "object") return this.data.functions.object[this.functionOf[node]];
		return this.functionOf[node];
	}

	/**
	 * The tree by function, line or object; fold: without direct recursion.
	 * @param {By} by
	 * @param {boolean} fold
	 */
	get(by, fold = false) {
		const name = by + (fold ? ":fold" : "");
		let known = this.trees.get(name);
		if (!known) this.trees.set(name, (known = this.make(by, fold || by === "object")));
		return known;
	}

	/**
	 * @param {By} by
	 * @param {boolean} fold
	 */
	make(by, fold) {
		const {parent} = this.data.nodes, count = parent.length;
		const nodeOf = new Uint32Array(count), parents = new Uint32Array(count), keys = new Uint32Array(count);
		const table = new NodeTable(count);
		let made = 1;
		keys[0] = this.keyOf(0, by);
		for (let i = 1; i < count; i++) {
			const above = nodeOf[parent[i]], key = this.keyOf(i, by);
			if (fold && above !== 0 && keys[above] === key) {
				nodeOf[i] = above;
				continue;
			}
			const at = table.find(above, key, made);
			if (at === made) {
				parents[made] = above;
				keys[made++] = key;
			}
			nodeOf[i] = at;
		}
		return {tree: new Tree(parents.slice(0, made), keys.slice(0, made), by), nodeOf};
	}

	/**
	 * Values by node of the data as values by node of a tree.
	 * @param {Float64Array} values
	 * @param {Uint32Array} nodeOf
	 * @param {number} count
	 */
	static gather(values, nodeOf, count) {
		const out = new Float64Array(count);
		for (let i = 0; i < values.length; i++) if (values[i] !== 0) out[nodeOf[i]] += values[i];
		return out;
	}
}

/**
 * Nodes that have the same key below the same node become one.
 * @param {{parents: number[], keys: number[], own: number[]}} raw
 */
export function mergeEqual(raw) {
	const count = raw.keys.length, nodeOf = new Uint32Array(count), table = new NodeTable(count);
	const parents = [0], keys = [raw.keys[0]], own = [raw.own[0]];
	for (let i = 1; i < count; i++) {
		const above = nodeOf[raw.parents[i]], at = table.find(above, raw.keys[i], keys.length);
		if (at === keys.length) {
			parents.push(above);
			keys.push(raw.keys[i]);
			own.push(0);
		}
		own[at] += raw.own[i];
		nodeOf[i] = at;
	}
	return {tree: new Tree(Uint32Array.from(parents), Uint32Array.from(keys), "thread"), own: Float64Array.from(own)};
}

/** Finds nodes by the node above and the key: open addressing, as there may be a million. */
export class NodeTable {
	/** @param {number} most how many nodes there will be at most */
	constructor(most) {
		let size = 16;
		while (size < 2 * most) size *= 2;
		this.mask = size - 1;
		this.above = new Uint32Array(size);
		this.key = new Uint32Array(size);
		this.node = new Uint32Array(size);
	}

	/**
	 * The node; `next` if it is new.
	 * @param {number} above
	 * @param {number} key
	 * @param {number} next
	 */
	find(above, key, next) {
		let at = (Math.imul(above, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b)) >>> 0;
		at = (at ^ (at >>> 15)) & this.mask;
		while (this.node[at] !== 0) {
			if (this.above[at] === above && this.key[at] === key) return this.node[at];
			at = (at + 1) & this.mask;
		}
		this.above[at] = above;
		this.key[at] = key;
		this.node[at] = next;
		return next;
	}
}

/**
 * Which nodes of the data are in stacks with a function that a pattern matches.
 * @param {Forest} forest
 * @param {RegExp} pattern
 * @returns {{keys: Uint8Array, nodes: Uint8Array}} functions that match; nodes at or below one of them
 */
export function match(forest, pattern) {
	const {data} = forest, {parent} = data.nodes, names = data.functions.name;
	const keys = new Uint8Array(names.length), nodes = new Uint8Array(parent.length);
	for (let i = 0; i < names.length; i++) keys[i] = pattern.test(data.strings[names[i]]) ? 1 : 0;
	for (let i = 1; i < nodes.length; i++) nodes[i] = nodes[parent[i]] | keys[forest.functionOf[i]];
	return {keys, nodes};
}

/**
 * What a function calls, and who calls it, as two trees whose root is the function.
 * @param {Tree} tree
 * @param {Float64Array} own by node of the tree
 * @param {number} key of the function
 */
export function around(tree, own, key) {
	const total = tree.totals(own), outer = tree.outer();
	const below = new Builder(key, tree.by), above = new Builder(key, tree.by);
	const nodeOf = new Uint32Array(tree.count), inside = new Uint8Array(tree.count);
	for (let i = 1; i < tree.count; i++) {
		if (total[i] === 0) continue;
		const isStart = tree.key[i] === key && outer[i] === 1;
		if (!isStart && !inside[tree.parent[i]]) continue;
		inside[i] = 1;
		nodeOf[i] = isStart ? 0 : below.child(nodeOf[tree.parent[i]], tree.key[i]);
		below.own[nodeOf[i]] += own[i];
		if (!isStart) continue;
		let at = 0;
		for (let up = tree.parent[i]; up !== 0; up = tree.parent[up]) at = above.child(at, tree.key[up]);
		above.own[at] += total[i];
	}
	return {below: below.finish(), above: above.finish()};
}

/** A tree that grows. */
class Builder {
	/**
	 * @param {number} key of the root
	 * @param {By} by
	 */
	constructor(key, by) {
		this.by = by;
		this.parents = [0];
		this.keys = [key];
		/** @type {number[]} */
		this.own = [0];
		/** @type {Map<string, number>} */
		this.known = new Map();
	}

	/**
	 * @param {number} above
	 * @param {number} key
	 */
	child(above, key) {
		const name = above + ":" + key;
		let at = this.known.get(name);
		if (at === undefined) {
			at = this.keys.length;
			this.known.set(name, at);
			this.parents.push(above);
			this.keys.push(key);
			this.own.push(0);
		}
		return at;
	}

	finish() {
		return {tree: new Tree(Uint32Array.from(this.parents), Uint32Array.from(this.keys), this.by), own: Float64Array.from(this.own)};
	}
}
