// aggregate.js: sums over the events that are chosen: by time, by thread, by search.

/**
 * @typedef {{from: number|null, to: number|null, threads: Set<number>|null, base: boolean}} Choice
 * base: the experiments that are compared with, or the others
 */

export class Aggregator {
	/** @param {import("./data.js").Data} data */
	constructor(data) {
		this.data = data;
		/** Rows of a block that began before they ended, by block: those behind a range may reach into it. @type {Uint32Array[]} */
		this.long = [];
		/** @type {Map<string, {steps: number, values: Float64Array, width: number}>} */
		this.binned = new Map();
		/** The widest unit of time: ranges begin and end at its multiples. */
		this.unit = [...data.head.blocks, ...data.head.uses].reduce((most, block) => Math.max(most, block.width_ns), 1e6);
	}

	/** The rows are there. */
	complete() {
		const {head, rows: {span}} = this.data;
		this.long = head.blocks.map((block) => {
			const long = [];
			for (let i = block.first; i < block.first + block.count; i++) if (span[i] > 0) long.push(i);
			return Uint32Array.from(long);
		});
	}

	/**
	 * The nearest range whose ends are multiples of the unit, so that sums are those of `time`.
	 * @param {number} from
	 * @param {number} to
	 * @returns {[number, number]}
	 */
	snap(from, to) {
		const unit = this.unit, low = Math.max(0, Math.floor(from / unit));
		return [low * unit, Math.max(low + 1, Math.ceil(to / unit)) * unit];
	}

	/**
	 * Call with ranges of rows, and with single rows, that the choice of time leaves.
	 * @param {Choice} choice
	 * @param {number} kind of data, -1: all
	 * @param {(first: number, end: number, block: import("./data.js").Block) => void} range
	 */
	each(choice, kind, range) {
		const {blocks, experiments} = this.data.head, {time, span} = this.data.rows;
		blocks.forEach((block, at) => {
			if ((kind >= 0 && block.kind !== kind) || experiments[block.experiment].is_base !== choice.base) return;
			const end = block.first + block.count;
			if (choice.from === null || choice.to === null) {
				range(block.first, end, block);
				return;
			}
			const from = Math.floor(choice.from / block.width_ns), to = Math.ceil(choice.to / block.width_ns);
			const low = lowerBound(time, from, block.first, end), high = lowerBound(time, to, low, end);
			if (low < high) range(low, high, block);
			const long = this.long[at];
			for (let i = lowerBound(long, high, 0, long.length); i < long.length; i++)
				if (time[long[i]] - span[long[i]] < to) range(long[i], long[i] + 1, block);
		});
	}

	/**
	 * Sums of a total by node, added to `sums`.
	 * @param {number} number of the total
	 * @param {Choice} choice
	 * @param {Float64Array} sums
	 */
	addTotal(number, choice, sums) {
		const total = this.data.totals.get(number);
		if (!total) return;
		const {node, thread} = this.data.rows, {row, value} = total, threads = choice.threads;
		/** @type {Uint8Array|null} */
		let isChosen = null;
		if (threads) {
			isChosen = new Uint8Array(this.data.head.threads.length);
			for (const each of threads) isChosen[each] = 1;
		}
		this.each(choice, -1, (first, end) => {
			let i = lowerBound(row, first, 0, row.length);
			if (isChosen)
				for (; i < row.length && row[i] < end; i++) {
					if (isChosen[thread[row[i]]]) sums[node[row[i]]] += value[i];
				}
			else for (; i < row.length && row[i] < end; i++) sums[node[row[i]]] += value[i];
		});
	}

	/**
	 * Call with what was allocated in the range and freed after it.
	 * @param {import("./data.js").Metric} metric
	 * @param {Choice} choice
	 * @param {(row: number, value: number) => void} take
	 */
	eachLater(metric, choice, take) {
		const {to, threads} = choice;
		if (!metric.live || to === null) return;
		const {row, span} = this.data.deaths, value = this.data.deaths[metric.live], {time, thread} = this.data.rows;
		this.each(choice, metric.kind, (first, end, block) => {
			const last = to / block.width_ns;
			for (let i = lowerBound(row, first, 0, row.length); i < row.length && row[i] < end; i++)
				if (time[row[i]] + span[i] >= last && (!threads || threads.has(thread[row[i]]))) take(row[i], value[i]);
		});
	}

	/**
	 * Exclusive values of a metric by node.
	 * @param {import("./data.js").Metric} metric
	 * @param {Choice} choice
	 * @returns {Float64Array}
	 */
	values(metric, choice) {
		const sums = new Float64Array(this.data.nodes.parent.length);
		for (const number of metric.from) this.addTotal(number, choice, sums);
		this.eachLater(metric, choice, (row, value) => (sums[this.data.rows.node[row]] += value));
		return sums;
	}

	/**
	 * A metric in many equal steps over all of the time, by thread or together; computed once.
	 * @param {import("./data.js").Metric} metric
	 * @param {boolean} byThread
	 */
	bins(metric, byThread) {
		const key = `${byThread} ${metric.keyword}`, lanes = byThread ? this.data.head.threads.length : 1, span = this.data.head.duration_ns;
		let known = this.binned.get(key);
		if (!known) {
			const steps = Math.max(256, Math.min(16384, Math.floor(4e6 / lanes)));
			known = {steps, width: span / steps, values: this.overTime(metric, 0, span, steps, byThread ? (thread) => thread : null, lanes)};
			// Those of threads are large, and one metric is shown at a time.
			if (byThread) for (const each of this.binned.keys()) if (each.startsWith("true")) this.binned.delete(each);
			this.binned.set(key, known);
		}
		return known;
	}

	/**
	 * The same as overTime, from bins where steps are wider than these.
	 * @param {import("./data.js").Metric} metric
	 * @param {number} from
	 * @param {number} to
	 * @param {number} steps
	 * @param {((thread: number) => number)|null} laneOf
	 * @param {number} lanes
	 */
	overview(metric, from, to, steps, laneOf = null, lanes = 1) {
		const many = this.data.rows.time.length > 100000, width = (to - from) / steps;
		if (!many || (laneOf && metric.kind > 0) || width < this.bins(metric, !!laneOf).width) return this.overTime(metric, from, to, steps, laneOf, lanes);
		// Bins of several metrics by thread would be large, and rows of waits are few.
		const {values, width: wide, steps: all} = this.bins(metric, !!laneOf), out = new Float64Array(lanes * steps);
		const first = Math.max(0, Math.floor(from / wide)), last = Math.min(all, Math.ceil(to / wide));
		for (let thread = 0; thread < values.length / all; thread++) {
			const lane = laneOf ? laneOf(thread) : 0;
			if (lane < 0) continue;
			for (let i = first; i < last; i++) {
				const value = values[thread * all + i];
				if (value !== 0) spread(out, lane * steps, steps, (i * wide - from) / width, ((i + 1) * wide - from) / width, value);
			}
		}
		return out;
	}

	/**
	 * A metric in steps of time: of one thread, or of all.
	 * @param {import("./data.js").Metric} metric
	 * @param {number} from
	 * @param {number} to
	 * @param {number} steps
	 * @param {((thread: number) => number)|null} laneOf where a thread counts, negative: nowhere; null: all but those of the base together
	 * @param {number} lanes
	 * @returns {Float64Array} lanes * steps
	 */
	overTime(metric, from, to, steps, laneOf, lanes) {
		const out = new Float64Array(lanes * steps), width = (to - from) / steps;
		const {blocks, experiments} = this.data.head, {time, thread, span: units} = this.data.rows;
		// CPU time was used before its sample was taken.
		const isCpu = metric.kind === 0 && metric.unit === "s";
		const lane = Int32Array.from(this.data.head.threads, ({experiment}, number) => (laneOf ? laneOf(number) : experiments[experiment].is_base ? -1 : 0));
		for (const number of metric.from) {
			const total = this.data.totals.get(number);
			if (!total) continue;
			for (const [at, block] of blocks.entries()) {
				const end = block.first + block.count, unit = block.width_ns;
				const low = lowerBound(time, Math.floor(from / unit), block.first, end);
				const high = lowerBound(time, Math.ceil(to / unit) + (isCpu ? 20 : 0), low, end);
				const add = (/** @type {number} */ i) => {
					const row = total.row[i], where = lane[thread[row]];
					if (where < 0) return;
					// A sum stands for whole units, or for the time that it is: it is spread over all of it.
					const value = total.value[i], span = isCpu ? Math.max(unit, value) : unit * (1 + units[row]), until = ((time[row] + 1) * unit - from) / width;
					spread(out, where * steps, steps, until - span / width, until, value);
				};
				for (let i = lowerBound(total.row, low, 0, total.row.length); i < total.row.length && total.row[i] < high; i++) add(i);
				// What ended later, and had begun.
				const long = this.long[at];
				for (let i = lowerBound(long, high, 0, long.length); i < long.length; i++) {
					const row = long[i], found = lowerBound(total.row, row, 0, total.row.length);
					if (total.row[found] === row && (time[row] - units[row]) * unit < to) add(found);
				}
			}
		}
		return out;
	}
}

/**
 * Add a value to steps, evenly from one place to another.
 * @param {Float64Array} out
 * @param {number} base index of the first step
 * @param {number} steps
 * @param {number} from in steps, not whole
 * @param {number} to
 * @param {number} value
 */
function spread(out, base, steps, from, to, value) {
	const first = Math.floor(from), last = Math.floor(to), each = value / (to - from);
	if (last === first) {
		if (first >= 0 && first < steps) out[base + first] += value;
		return;
	}
	if (first >= 0 && first < steps) out[base + first] += each * (first + 1 - from);
	for (let step = Math.max(0, first + 1); step < last && step < steps; step++) out[base + step] += each;
	if (last >= 0 && last < steps) out[base + last] += each * (to - last);
}

/**
 * The first index in [low, high) whose value is not less than `wanted`; high if there is none.
 * @param {Uint32Array|Float64Array} values sorted
 * @param {number} wanted
 * @param {number} low
 * @param {number} high
 */
export function lowerBound(values, wanted, low, high) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle] < wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}
