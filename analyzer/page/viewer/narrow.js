// narrow.js: tables of other commands for what is chosen of time, threads and search: added up again from the events of the page.

import { state } from "./state.js";

/** @typedef {import("./data.js").DocumentTable} DocumentTable */

/** Lists of call stacks: metrics of which one is not 0 for a stack that is listed, and those that sort. @type {Record<string, [string[], string[]]>} */
const STACKS = {
	leaks: [["heapleakcnt"], ["heapleakbytes"]], peak: [["heappeakcnt"], ["heappeakbytes"]], allocs: [["heapalloccnt"], ["heapallocbytes"]],
	heapmaps: [["heapmapcnt"], ["heapmappeak", "heapmapbytes"]], sync: [["syncn"], ["syncobject", "sync"]],
	iocallstack: [["ioreadcnt", "iowritecnt", "ioothercnt", "ioerrorcnt"], ["ioreadtime", "iowritetime", "ioothertime", "ioerrortime"]],
	live: [["livecount"], ["livebytes"]], ompconstructs: [["ompwork", "ompwait", "ompovhd"], ["ompwork", "ompwait"]],
};
const MOST = 250;

/**
 * A line, or the function alone if its line is not known.
 * @param {import("./report.js").Report} report
 * @param {number} frame
 */
function placeOf(report, frame) {
	const {frames} = report.data;
	return frames.line[frame] ? report.name("line", frame) : report.name("function", frames.function[frame]);
}

/**
 * A stack of lines, the innermost first.
 * @param {import("./report.js").Report} report
 * @param {number} node
 */
export function stackAt(report, node) {
	const {parent, frame} = report.data.nodes, list = [];
	for (let at = node; at !== 0; at = parent[at]) list.push(placeOf(report, frame[at]));
	return list;
}

/**
 * @param {import("./report.js").Report} report
 * @param {string} command
 * @param {string[]} keywords of metrics, those that are shown
 * @returns {DocumentTable|null}
 */
export function stackTable(report, command, keywords) {
	const [some, sort] = STACKS[command], metrics = keywords.flatMap((keyword) => report.metric(keyword) || []);
	const of = (/** @type {string[]} */ list) => list.flatMap((keyword) => report.metric(keyword) || []).map((metric) => report.values(metric));
	const counts = of(some), sorts = of(sort), values = metrics.map((metric) => report.values(metric)), nodes = [];
	if (counts.length === 0) return null;
	for (let node = 0; node < counts[0].length; node++) if (counts.some((list) => list[node])) nodes.push(node);
	// Times add up to one order; of others, the first decides.
	const isTime = command === "iocallstack", order = (/** @type {number} */ node) => sorts.map((list) => list[node]);
	nodes.sort((a, b) => {
		const x = order(a), y = order(b);
		if (isTime) return y.reduce((sum, each) => sum + each, 0) - x.reduce((sum, each) => sum + each, 0);
		return y[0] - x[0] || (y[1] || 0) - (x[1] || 0);
	});
	return {
		name: command,
		columns: [{key: "number", heading: "Number", kind: "number", unit: ""}, ...metrics.map(({keyword, heading, unit}) => ({key: keyword, heading, kind: "number", unit})),
			{key: "stack", heading: "Call Stack", kind: "list", unit: ""}],
		rows: nodes.slice(0, MOST).map((node, at) => [at + 1, ...metrics.map(({unit}, i) => values[i][node] / (unit === "s" ? 1e9 : 1)), stackAt(report, node)]),
	};
}

/**
 * Is a time of a thread chosen? Times are ns; a part is enough.
 * @param {number} begin
 * @param {number} end
 */
function isInRange(begin, end) {
	return state.from === null || state.to === null || (end >= state.from && begin < state.to);
}

/**
 * Single waits: those of the document, which say most, and those of the timeline.
 * @param {import("./report.js").Report} report
 * @param {DocumentTable} table
 * @param {number} kind of data
 * @returns {DocumentTable}
 */
function waitTable(report, table, kind) {
	const {head, data: {marks, strings}} = report, columns = table.columns.map((column) => column.key), rows = [], told = new Set();
	const at = Object.fromEntries(columns.map((key, i) => [key, i]));
	const matched = state.only ? report.matched() : null;
	/** Threads by experiment and system's id. @type {Map<string, number[]>} */
	const threads = new Map();
	head.threads.forEach((thread, number) => {
		const key = `${head.experiments[thread.experiment].id}:${thread.tid}`;
		threads.set(key, [...(threads.get(key) || []), number]);
	});
	const starts = new Map(head.experiments.map((experiment) => [experiment.id, experiment.start_ns]));
	for (const row of table.rows) {
		const key = `${row[at.experiment]}:${row[at.tid]}`, end = row[at.end] * 1e9 + (starts.get(row[at.experiment]) || 0), wait = (row[at.span] ?? row[at.wait]) * 1e9;
		for (const near of [-1, 0, 1]) told.add(`${key}:${Math.floor(end / 1e3) + near}`);
		if (!matched && isInRange(end - wait, end) && (!state.threads || (threads.get(key) || []).some((number) => state.threads?.has(number)))) rows.push(row);
	}
	for (let i = 0; i < marks.kind.length; i++) {
		const thread = head.threads[marks.thread[i]], experiment = head.experiments[thread.experiment], end = marks.begin[i] + marks.duration[i];
		if (marks.kind[i] !== kind || experiment.is_base || !isInRange(marks.begin[i], end) || (state.threads && !state.threads.has(marks.thread[i]))) continue;
		if (matched ? !matched.nodes[marks.node[i]] : told.has(`${experiment.id}:${thread.tid}:${Math.floor(end / 1e3)}`)) continue;
		const known = /** @type {Record<string, any>} */ ({experiment: experiment.id, tid: thread.tid, thread: thread.name, wait: marks.duration[i] / 1e9, span: marks.duration[i] / 1e9,
			end: (end - experiment.start_ns) / 1e9, function: strings[marks.name[i]], where: placeOf(report, report.data.nodes.frame[marks.node[i]])});
		rows.push(columns.map((key) => known[key] ?? null));
	}
	rows.sort((a, b) => b[at.wait] - a[at.wait]);
	return {...table, rows: rows.slice(0, MOST)};
}

/**
 * Collections of garbage.
 * @param {import("./report.js").Report} report
 * @returns {DocumentTable[]}
 */
function collectionTables(report) {
	const {collections, experiments} = report.head, some = collections.filter((each) => !experiments[each.experiment].is_base && isInRange(each.begin_ns, each.begin_ns + each.duration_ns));
	const second = {kind: "number", unit: "s"}, count = {kind: "number", unit: "count"}, times = some.map((each) => each.duration_ns / 1e9);
	return [{name: "gcs", columns: [{key: "count", heading: "Collections", ...count}, {key: "time", heading: "Time", ...second}, {key: "longest", heading: "Longest", ...second}],
		rows: [[some.length, times.reduce((a, b) => a + b, 0), times.reduce((a, b) => Math.max(a, b), 0)]]},
	{name: "gc", columns: [{key: "experiment", heading: "Experiment", kind: "number", unit: ""}, {key: "start", heading: "Start", ...second}, {key: "time", heading: "Time", ...second}],
		rows: some.map((each, i) => [experiments[each.experiment].id, (each.begin_ns - experiments[each.experiment].start_ns) / 1e9, times[i]]).sort((a, b) => b[2] - a[2]).slice(0, MOST)}];
}

/** What was done, together. @typedef {{count: number, time: number, longest: number, bytes: number, received: number}} Sum */
/** What was done with a thing, all and by class, in which threads; `use` is one of them. @typedef {Sum & {thing: number, use: number, of: Sum[], threads: Set<number>}} ThingSum */

const CLASSES = ["other", "read", "write", "error"];

/** @returns {Sum} */
function noSum() {
	return {count: 0, time: 0, longest: 0, bytes: 0, received: 0};
}

/**
 * Sums of what was done with things, by what they are called together.
 * @param {import("./report.js").Report} report
 * @param {string} name of the kind of data
 * @param {(use: number, thing: number) => string|number|null} keyOf null: not of interest
 * @returns {ThingSum[]}
 */
function sumsOf(report, name, keyOf) {
	const {head, data: {uses}} = report, kind = report.head.kinds.find((each) => each.name === name)?.number, sums = new Map();
	for (const block of head.uses) {
		if (block.kind !== kind) continue;
		const from = state.from === null ? 0 : Math.floor(state.from / block.width_ns), to = state.to === null ? Infinity : Math.ceil(state.to / block.width_ns);
		for (let use = block.first; use < block.first + block.count; use++) {
			const thing = uses.thing[use], key = keyOf(use, thing);
			if (key === null || uses.time[use] < from || uses.time[use] - uses.span[use] >= to || (state.threads && !state.threads.has(uses.thread[use]))) continue;
			let sum = sums.get(key);
			if (!sum) sums.set(key, (sum = {...noSum(), thing, use, of: CLASSES.map(noSum), threads: new Set()}));
			sum.threads.add(uses.thread[use]);
			for (const each of [sum, sum.of[uses.class[use]]]) {
				each.count += uses.count[use];
				each.time += uses.ns[use] / 1e9;
				each.longest = Math.max(each.longest, (uses.ns[use] - uses.short[use]) / 1e9);
				each.bytes += uses.bytes[use];
				each.received += uses.received[use];
			}
		}
	}
	return [...sums.values()];
}

/**
 * Rows with the columns that are known, those with most of some first.
 * @param {DocumentTable} table
 * @param {any[]} rows by keys of columns
 * @param {(row: any) => number} order
 * @returns {DocumentTable}
 */
function tableAs(table, rows, order) {
	const columns = table.columns.filter(({key}) => rows.length === 0 || key in rows[0]);
	rows.sort((a, b) => order(b) - order(a));
	return {name: table.name, columns, rows: rows.slice(0, MOST).map((row) => columns.map(({key}) => row[key]))};
}

/**
 * Files or descriptors, below their sum.
 * @param {import("./report.js").Report} report
 * @param {DocumentTable} table
 * @param {boolean} withDescriptor
 */
function fileTable(report, table, withDescriptor) {
	const {head, data: {things, strings}} = report;
	const row = (/** @type {ThingSum} */ {of}, /** @type {any} */ made) => {
		CLASSES.forEach((name, at) => Object.assign(made, {[name + "s"]: of[at].count, [name + "_time"]: of[at].time, [name + "_bytes"]: of[at].bytes}));
		return made;
	};
	const rows = sumsOf(report, "I/O", (_, thing) => (withDescriptor ? thing : things.name[thing])).map((sum) => row(sum, {experiment: head.experiments[things.experiment[sum.thing]].id, all: sum.time,
		fd: things.number[sum.thing] ? things.number[sum.thing] - 1 : null, file: strings[things.name[sum.thing]], type: strings[things.sort[sum.thing]] || null}));
	const total = sumsOf(report, "I/O", () => 0).map((sum) => row(sum, {experiment: null, fd: null, file: "<Total>", type: null, all: Infinity}));
	return tableAs(table, [...total, ...rows], ({all}) => all);
}

/** What is done with things, by command. @type {Record<string, (report: import("./report.js").Report, table: DocumentTable) => DocumentTable>} */
const THINGS = {
	locks(report, table) {
		const {head, data: {things, strings}} = report;
		return tableAs(table, sumsOf(report, "synchronization", (_, at) => at).map(({thing, time, longest, count, of, threads}) => ({experiment: head.experiments[things.experiment[thing]].id,
			kind: strings[things.sort[thing]], object: strings[things.name[thing]], wait: time, longest, waits: count, failed: of[1].count, threads: threads.size})), (row) => (row.kind === "thread join" ? -1e9 : 0) + row.wait);
	},
	ioactivity: (report, table) => fileTable(report, table, false),
	iodetail: (report, table) => fileTable(report, table, true),
	calls(report, table) {
		const time = report.metric("ftime"), count = report.metric("fcalls");
		if (!time || !count) return table;
		const times = report.flat(time, "function"), counts = report.flat(count, "function"), rows = [];
		for (let key = 0; key < counts.exclusive.length; key++)
			if (counts.exclusive[key]) rows.push({name: report.name("function", key), total: times.inclusive[key] / 1e9, self: times.exclusive[key] / 1e9, count: counts.exclusive[key]});
		return tableAs(table, rows, (row) => row.total);
	},
	mpiranks(report, table) {
		const {head, data: {things}} = report, keywords = Object.entries({mpi: "mpitime", sends: "mpisend", sent: "mpibytessent", receives: "mpireceive", received: "mpibytesrecv"});
		const rows = head.experiments.map(({rank}) => /** @type {Record<string, any>} */ ({rank: String(rank), mpi: 0, calls: 0, sends: 0, sent: 0, receives: 0, received: 0}));
		for (const [key, keyword] of keywords) {
			const metric = report.metric(keyword);
			if (metric) report.eachValue(metric, false, (row, value) => (rows[head.threads[report.data.rows.thread[row]].experiment][key] += value / (key === "mpi" ? 1e9 : 1)));
		}
		for (const {thing, count} of sumsOf(report, "MPI", (_, at) => (things.number[at] ? null : things.experiment[at]))) rows[things.experiment[thing]].calls = count;
		return tableAs(table, rows.filter((row, at) => Number(row.rank) >= 0 && !head.experiments[at].is_base), (row) => -Number(row.rank));
	},
	javaheap(report, table) {
		const {things, strings, uses} = report.data, sites = new Map();
		for (const {thing, use} of sumsOf(report, "heap", (at, of) => `${of}:${uses.call[at]}`).sort((a, b) => a.bytes - b.bytes)) sites.set(thing, strings[uses.call[use]]);
		return tableAs(table, sumsOf(report, "heap", (_, at) => at).map(({thing, count, bytes, received}) => ({bytes: Math.round(bytes / 1024), objects: Math.round(received / 1024), samples: count,
			class: strings[things.name[thing]], site: sites.get(thing)})), (row) => row.bytes);
	},
	hooks(report, table) {
		const {things, strings} = report.data;
		return tableAs(table, sumsOf(report, "user event", (_, thing) => `${things.name[thing]}:${things.number[thing]}`).map(({thing, count, bytes}) => ({hook: strings[things.name[thing]],
			subhook: (things.number[thing] - 1).toString(16).toUpperCase().padStart(4, "0"), count, bytes})), (row) => row.count);
	},
	mpifunctions(report, table) {
		const {things, strings} = report.data;
		return tableAs(table, sumsOf(report, "MPI", (_, thing) => (things.number[thing] ? null : things.name[thing])).map(({thing, count, of, time, longest, bytes, received}) => ({function: strings[things.name[thing]],
			class: strings[things.sort[thing]], calls: count, failed: of[1].count, time, longest, sent: bytes, received})), (row) => row.time);
	},
	mpimessages(report, table) {
		const {head, data: {things}} = report, pairs = new Map();
		const pair = (/** @type {number} */ from, /** @type {number} */ to) => {
			const key = `${from}:${to}`;
			if (!pairs.has(key)) pairs.set(key, {from, to, sends: 0, sent: 0, receives: 0, received: 0, put: 0, got: 0});
			return pairs.get(key);
		};
		for (const {thing, of: [other, sent, received]} of sumsOf(report, "MPI", (_, at) => (things.number[at] ? at : null))) {
			const rank = head.experiments[things.experiment[thing]].rank, peer = things.number[thing] - 1, out = pair(rank, peer), back = pair(peer, rank);
			out.sends += sent.count;
			out.sent += sent.bytes;
			out.put += other.bytes;
			back.receives += received.count;
			back.received += received.received;
			back.got += other.received;
		}
		return tableAs(table, [...pairs.values()].filter((row) => row.sends + row.receives + row.put + row.got > 0), (row) => -(row.from * 1e6 + row.to));
	},
};

/**
 * How many blocks or calls had which class of sizes: a row tells by its mean, unless it has several classes.
 * @param {import("./report.js").Report} report
 * @param {number} sort enum size_sort
 * @param {string} keyword of the metrics of count and bytes, without the ends
 * @returns {[number, number][]} class and count
 */
function classesOf(report, sort, keyword) {
	const {sizes, rows} = report.data, matched = state.only ? report.matched() : null, sums = new Map();
	const [counts, bytes] = ["cnt", "bytes"].map((end) => {
		const list = new Float64Array(rows.time.length), metric = report.metric(keyword + end);
		if (metric) report.eachValue(metric, false, (row, value) => (list[row] += matched && !matched.nodes[rows.node[row]] ? 0 : value));
		return list;
	});
	const add = (/** @type {number} */ at, /** @type {number} */ count) => sums.set(at, (sums.get(at) || 0) + count), told = new Set();
	sizes.row.forEach((row, i) => {
		if (sizes.sort[i] !== sort || !counts[row]) return;
		add(sizes.class[i], sizes.count[i]);
		told.add(row);
	});
	counts.forEach((count, row) => {
		if (count && !told.has(row)) add(bytes[row] < count ? 0 : Math.floor(Math.log2(bytes[row] / count)) + 1, count);
	});
	return [...sums].sort((a, b) => a[0] - b[0]);
}

/**
 * Statistics of sizes: of blocks, or of calls.
 * @param {import("./report.js").Report} report
 * @param {DocumentTable[]} tables
 */
function sizeTables(report, tables) {
	const {uses, strings} = report.data;
	const sum = (/** @type {string} */ keyword) => {
		const metric = report.metric(keyword);
		return metric ? report.sum(metric) / (metric.unit === "s" ? 1e9 : 1) : 0;
	};
	const sizes = (/** @type {number} */ sort, /** @type {string} */ keyword) => () => classesOf(report, sort, keyword).map(([at, count]) => ({from: at && 2 ** (at - 1), below: 2 ** at, count}));
	/** @type {Record<string, () => any[]>} */
	const rows = {
		totals: () => [{allocations: sum("heapalloccnt"), bytes: sum("heapallocbytes"), temporary: sum("heaptempcnt"), frees: sum("heapalloccnt") - sum("heapleakcnt"), leaks: sum("heapleakcnt"), leaked: sum("heapleakbytes")}],
		sizes: sizes(0, "heapalloc"), leak_sizes: sizes(1, "heapleak"), read_sizes: sizes(2, "ioread"), write_sizes: sizes(3, "iowrite"),
		classes: () => ["read", "write", "other", "error"].map((name) => ({class: name, calls: sum(`io${name}cnt`), bytes: sum(`io${name}bytes`), time: sum(`io${name}time`)})),
		functions: () => (state.only ? [] : sumsOf(report, "I/O", (use) => uses.call[use]).map(({use, count, of, bytes, time}) => ({function: strings[uses.call[use]], calls: count, errors: of[3].count, bytes, time}))),
		errors: () => classesOf(report, 4, "ioerror").map(([at, count]) => ({error: strings[at], calls: count})),
	};
	return tables.flatMap((table) => (rows[table.name] ? [tableAs(table, rows[table.name](), () => 0)] : []));
}

/**
 * The tables of a command for what is chosen; null: they cannot be told.
 * @param {import("./report.js").Report} report
 * @param {import("./data.js").Shown} shown
 * @returns {DocumentTable[]|null}
 */
export function narrowed(report, {command, document: {tables}}) {
	const [table] = tables;
	if (!table) return null;
	if (command in STACKS) return [stackTable(report, command, command === "ompconstructs" ? STACKS[command][0] : table.columns.map((column) => column.key))].flatMap((each) => each || []);
	if (command === "syncwaits" || command === "waits") {
		const kind = report.head.kinds.find((each) => each.name === (command === "waits" ? "wall-clock" : "synchronization"));
		return kind ? [waitTable(report, table, kind.number)] : null;
	}
	if (command === "heapstat" || command === "iostat") return report.head.lacks_sizes ? null : sizeTables(report, tables);
	if (command in THINGS) return state.only && command !== "calls" ? null : [THINGS[command](report, table)];
	return command === "gcevents" && !state.threads ? collectionTables(report) : null;
}
