// report.js: the data with what is chosen of them, and sums that are kept until the choice changes.

import { Aggregator, lowerBound } from "./aggregate.js";
import { expression, state } from "./state.js";
import { percent } from "./text.js";
import { Forest, match, mergeEqual } from "./tree.js";

/** @typedef {{exclusive: Float64Array, inclusive: Float64Array, whole: number}} Flat */

export class Report {
	/** @param {import("./data.js").Data} data */
	constructor(data) {
		this.data = data;
		this.head = data.head;
		this.aggregator = new Aggregator(data);
		this.isComplete = false;
		this.forest = /** @type {Forest} */ (/** @type {any} */ (null));
		/** @type {Map<string, any>} */
		this.kept = new Map();
		/** @type {Map<number, number>|null} */
		this.objectOrigins = null;
	}

	/** The events are there, too. */
	complete() {
		this.aggregator.complete();
		this.forest = new Forest(this.data);
		this.isComplete = true;
	}

	/** Is a part chosen? */
	get isNarrow() {
		return state.from !== null || !!state.threads || state.only;
	}

	/** The choice has changed. */
	forget() {
		this.kept.clear();
	}

	/**
	 * @template T
	 * @param {string} name
	 * @param {() => T} compute
	 * @returns {T}
	 */
	keep(name, compute) {
		if (!this.kept.has(name)) this.kept.set(name, compute());
		return this.kept.get(name);
	}

	/** @param {string} keyword */
	metric(keyword) {
		return this.head.metrics.find((each) => each.keyword === keyword);
	}

	/** The metric that is chosen. */
	get chosen() {
		return this.metric(state.metric) || this.usual[0] || this.head.metrics[0];
	}

	/** Metrics that are shown at first and have values. */
	get usual() {
		const some = this.head.metrics.filter((each) => each.usual && this.hasValues(each));
		return some.length ? some : this.head.metrics.filter((each) => this.hasValues(each));
	}

	/** @param {import("./data.js").Metric} metric */
	hasValues(metric) {
		return !!metric.live || this.head.totals.some(({number}) => metric.from.includes(number));
	}

	/** What the search matches; null: there is none. */
	matched() {
		const pattern = expression(state.search);
		return pattern && this.keep("match:" + state.search, () => match(this.forest, pattern));
	}

	/**
	 * Exclusive values by node of the data, of what is chosen.
	 * @param {import("./data.js").Metric} metric
	 * @param {boolean} base of the experiments that are compared with
	 * @returns {Float64Array}
	 */
	values(metric, base = false) {
		return this.keep(`values:${metric.keyword}:${base}`, () => {
			const values = this.aggregator.values(metric, {from: state.from, to: state.to, threads: state.threads, base});
			const matched = state.only ? this.matched() : null;
			if (matched) for (let i = 0; i < values.length; i++) if (!matched.nodes[i]) values[i] = 0;
			return values;
		});
	}

	/**
	 * A share with as many digits as its samples tell, as xer_print has it.
	 * @param {import("./data.js").Metric} metric
	 * @param {number} value
	 * @param {number} total
	 */
	percent(metric, value, total) {
		const samples = metric.kind === 0 ? this.metric("samples") : undefined, count = samples ? this.sum(samples) : Infinity;
		return percent(value, total, count < 1e3 ? 0 : count < 1e5 ? 1 : 2);
	}

	/**
	 * The sum of a metric.
	 * @param {import("./data.js").Metric} metric
	 * @returns {number}
	 */
	sum(metric, base = false) {
		if (metric.whole !== undefined && !base && !this.isNarrow) return metric.whole;
		return this.keep(`sum:${metric.keyword}:${base}`, () => this.values(metric, base).reduce((sum, value) => sum + value, 0));
	}

	/**
	 * The functions with most of a metric, and how much.
	 * @param {import("./data.js").Metric} metric
	 * @returns {[string, number][]}
	 */
	top(metric) {
		if (metric.top && !this.isNarrow) return metric.top;
		const {exclusive} = this.flat(metric, "function"), keys = [...exclusive.keys()].filter((key) => exclusive[key] > 0);
		return keys.sort((a, b) => exclusive[b] - exclusive[a]).slice(0, 6).map((key) => [this.name("function", key), exclusive[key]]);
	}

	/**
	 * The tree by thread, then by function. Keys of threads follow those of functions.
	 * @param {import("./data.js").Metric} metric
	 */
	threadTree(metric, base = false) {
		return this.keep(`threads:${metric.keyword}:${base}`, () => {
			const {parent} = this.data.nodes, {node, thread} = this.data.rows, functions = this.data.functions.name.length;
			const parents = [0], keys = [this.forest.functionOf[0]], own = [0];
			/** @type {Map<number, number>} */
			const known = new Map();
			const size = parent.length;
			/** @param {number} where a thread @param {number} at a node @returns {number} */
			const place = (where, at) => {
				const name = where * size + at;
				let found = known.get(name);
				if (found !== undefined) return found;
				const above = at === 0 ? 0 : place(where, parent[at]);
				found = keys.length;
				parents.push(above);
				keys.push(at === 0 ? functions + where : this.forest.functionOf[at]);
				own.push(0);
				known.set(name, found);
				return found;
			};
			const matched = state.only ? this.matched() : null;
			this.eachValue(metric, base, (row, value) => {
				if (!matched || matched.nodes[node[row]]) own[place(thread[row], node[row])] += value;
			});
			return mergeEqual({parents, keys, own});
		});
	}

	/**
	 * Call with each value of a metric that is chosen.
	 * @param {import("./data.js").Metric} metric
	 * @param {boolean} base
	 * @param {(row: number, value: number) => void} take
	 */
	eachValue(metric, base, take) {
		const {thread} = this.data.rows, threads = state.threads, choice = {from: state.from, to: state.to, threads, base};
		this.aggregator.eachLater(metric, choice, take);
		for (const number of metric.from) {
			const total = this.data.totals.get(number);
			if (!total) continue;
			this.aggregator.each(choice, -1, (first, end) => {
				for (let i = lowerBound(total.row, first, 0, total.row.length); i < total.row.length && total.row[i] < end; i++)
					if (!threads || threads.has(thread[total.row[i]])) take(total.row[i], total.value[i]);
			});
		}
	}

	/**
	 * A tree with exclusive values of a metric.
	 * @param {import("./data.js").Metric} metric
	 * @param {import("./tree.js").By} by
	 * @param {boolean} fold
	 */
	tree(metric, by, fold = false, base = false) {
		if (by === "thread") return this.threadTree(metric, base);
		const {tree, nodeOf} = this.forest.get(by, fold);
		const own = this.keep(`tree:${metric.keyword}:${by}:${fold}:${base}`,
			() => Forest.gather(this.values(metric, base), nodeOf, tree.count));
		return {tree, own};
	}

	/**
	 * Exclusive and inclusive values by function, line or object.
	 * @param {import("./data.js").Metric} metric
	 * @param {import("./tree.js").By} by
	 * @returns {Flat}
	 */
	flat(metric, by, base = false) {
		return this.keep(`flat:${metric.keyword}:${by}:${base}`, () => {
			const {tree, own} = this.tree(metric, by, false, base);
			const keys = by === "line" ? this.data.frames.function.length
				: by === "object" ? this.data.strings.length : this.data.functions.name.length;
			return tree.flat(own, keys);
		});
	}

	/**
	 * What a key is called.
	 * @param {import("./tree.js").By} by
	 * @param {number} key
	 * @returns {string}
	 */
	name(by, key) {
		const {strings, functions, frames} = this.data;
		if (by === "object") return strings[key];
		if (by === "thread" && key >= functions.name.length) {
			const number = key - functions.name.length, {experiment} = this.head.threads[number];
			return (this.head.experiments.length > 1 ? this.processName(experiment) + ", " : "") + "thread " + this.threadName(number);
		}
		if (by !== "line") return strings[functions.name[key]];
		const name = strings[functions.name[frames.function[key]]];
		if (!frames.line[key]) return this.isNoCode(frames.function[key]) ? name : `<Function: ${name}, instructions without line numbers>`;
		return `${name}, line ${frames.line[key]} in "${strings[frames.file[key]].replace(/.*\//, "")}"`;
	}

	/**
	 * Does a function stand for no code, or for a whole object?
	 * @param {number} key
	 */
	isNoCode(key) {
		const {strings, functions} = this.data, name = strings[functions.name[key]];
		return (functions.origin[key] >= 5 && name.startsWith("<")) || functions.name[key] === functions.object[key];
	}

	/**
	 * Where it comes from: enum page_origin.
	 * @param {import("./tree.js").By} by
	 * @param {number} key
	 */
	origin(by, key) {
		const {functions, frames} = this.data;
		if (by === "object") return this.originOfObject.get(key) ?? 6;
		if (key >= functions.origin.length && by !== "line") return 6;
		return functions.origin[by === "line" ? frames.function[key] : key];
	}

	/** @returns {Map<number, number>} */
	get originOfObject() {
		const {object, origin} = this.data.functions;
		this.objectOrigins ??= new Map(Array.from(object, (at, i) => [at, origin[i]]));
		return this.objectOrigins;
	}

	/**
	 * Is a thread of what is compared with?
	 * @param {number} number
	 */
	isBase(number) {
		return this.head.experiments[this.head.threads[number].experiment].is_base;
	}

	/** @param {number} number of a thread */
	threadName(number) {
		const thread = this.head.threads[number];
		if (!thread) return "";
		return thread.number === 0 ? "thread unknown" : `${thread.number} ${thread.name || "thread"}`;
	}

	/** @param {number} number of an experiment */
	processName(number) {
		const experiment = this.head.experiments[number];
		return experiment ? `${experiment.program.replace(/.*\//, "")} ${experiment.pid}` : "";
	}
}
