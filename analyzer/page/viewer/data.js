// data.js: reads the sections of the page (analyzer/page/section.def) into typed arrays.

/**
 * @typedef {{number: number, name: string, title: string, chosen: string}} Kind
 * @typedef {{keyword: string, heading: string, meaning: string, unit: string, kind: number, usual: boolean, digits: number, from: number[],
 *   whole?: number, top?: [string, number][], live?: "bytes"|"count"}} Metric
 * @typedef {{id: number, name: string, command: string, program: string, status: string, pid: number, parent: number,
 *   start_ns: number, duration_ns: number, group: number, is_base: boolean, usages: number, threads: number,
 *   cpu_ns: number, rank: number}} Experiment
 * @typedef {{experiment: number, number: number, tid: number, name: string, start_ns: number}} Thread
 * @typedef {{experiment: number, kind: number, width_ns: number, first: number, count: number}} Block
 * @typedef {{experiment: number, kind: number, title: string, unit: string, width_ns: number, values: number[]}} Curve
 * @typedef {{version: number, maker: string, start_real_ns: string, duration_ns: number, rows: number, is_cut: boolean, merged: number, rounding_ns: number,
 *   origins: string[], base: string|null, kinds: Kind[], totals: {number: number, name: string, count: number}[],
 *   metrics: Metric[], sort: string|null, experiments: Experiment[], threads: Thread[], blocks: Block[], uses: Block[], curves: Curve[],
 *   labels: {experiment: number, time_ns: number, text: string}[],
 *   collections: {experiment: number, begin_ns: number, duration_ns: number}[],
 *   marks: {kept: number, all: number}, deaths: number, lacks_sizes: boolean}} Head
 * @typedef {{key: string, heading: string, kind: string, unit: string, digits?: number}} DocumentColumn
 * @typedef {{name: string, columns: DocumentColumn[], rows: any[][]}} DocumentTable
 * @typedef {{command: string, notes: string[], tables: DocumentTable[], next: {command: string, why: string}[], text: string[]}} Document
 * @typedef {{group: string, command: string, title: string, function?: string, object?: string, number?: number, document: Document, notes?: string[],
 *   lines?: number}} Shown
 * @typedef {{row: Uint32Array, value: Float64Array}} Total
 * @typedef {{head: Head, strings: string[], documents: Shown[], totals: Map<number, Total>,
 *   functions: {name: Uint32Array, object: Uint32Array, file: Uint32Array, line: Uint32Array, origin: Uint32Array},
 *   frames: {function: Uint32Array, file: Uint32Array, line: Uint32Array},
 *   nodes: {parent: Uint32Array, frame: Uint32Array},
 *   rows: {time: Uint32Array, span: Uint32Array, thread: Uint32Array, node: Uint32Array},
 *   deaths: {row: Float64Array, span: Float64Array, bytes: Float64Array, count: Float64Array},
 *   sizes: {row: Float64Array, sort: Float64Array, class: Float64Array, count: Float64Array},
 *   things: {experiment: Float64Array, name: Float64Array, sort: Float64Array, number: Float64Array},
 *   uses: {time: Float64Array, span: Float64Array, thread: Float64Array, thing: Float64Array, call: Float64Array, class: Float64Array, count: Float64Array,
 *     ns: Float64Array, short: Float64Array, bytes: Float64Array, received: Float64Array},
 *   marks: {kind: Float64Array, begin: Float64Array, duration: Float64Array, thread: Float64Array, node: Float64Array,
 *     name: Float64Array, bytes: Float64Array},
 *   usage: {time: Float64Array, user: Float64Array, system: Float64Array, resident: Float64Array, faults: Float64Array,
 *     switches: Float64Array}}} Data
 */

/**
 * @param {string} text base64
 * @returns {Uint8Array}
 */
function fromBase64(text) {
	const direct = /** @type {any} */ (Uint8Array).fromBase64;
	if (direct) return direct.call(Uint8Array, text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/**
 * The bytes of a section; the element is emptied, as its text is not needed twice.
 * @param {string} name
 * @returns {Promise<Uint8Array>}
 */
async function bytesOf(name) {
	const element = document.getElementById("xer-" + name);
	if (!element) return new Uint8Array(0);
	const packed = fromBase64(element.textContent || "");
	element.textContent = "";
	const stream = new Blob([/** @type {any} */ (packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Numbers by LEB128. Nearly all have at most four bytes: these are decoded by integers of 32 bits.
 * @template {Uint32Array|Float64Array} T
 * @param {Uint8Array} bytes
 * @param {new (length: number) => T} Type
 * @param {boolean} steps are they zigzag differences?
 * @returns {T}
 */
function numbersOf(bytes, Type, steps) {
	let count = 0;
	for (let i = 0; i < bytes.length; i++) count += 1 - (bytes[i] >>> 7);
	const out = new Type(count);
	let at = 0, last = 0;
	for (let i = 0; i < count; i++) {
		const first = at;
		let byte = bytes[at++], number = byte & 127;
		for (let shift = 7; byte >= 128 && shift < 28; shift += 7) {
			byte = bytes[at++];
			number |= (byte & 127) << shift;
		}
		if (byte < 128) {
			out[i] = steps ? (last += (number >>> 1) ^ -(number & 1)) : number;
			continue;
		}
		let wide = 0, factor = 1;
		at = first;
		do {
			byte = bytes[at++];
			wide += (byte & 127) * factor;
			factor *= 128;
		} while (byte >= 128);
		out[i] = steps ? (last += wide % 2 ? -(wide + 1) / 2 : wide / 2) : wide;
	}
	return out;
}

/** Tables whose numbers have 32 bits: they are the large ones. */
const NARROW_TABLES = /^(function|frame|node|row|stack)\./;

/**
 * A section as its coding says.
 * @param {string} name
 * @param {string} coding
 * @returns {Promise<any>}
 */
async function read(name, coding) {
	const bytes = await bytesOf(name);
	if (coding === "NUMBERS" || coding === "STEPS")
		return numbersOf(bytes, /** @type {any} */ (NARROW_TABLES.test(name) ? Uint32Array : Float64Array), coding === "STEPS");
	const text = new TextDecoder().decode(bytes);
	return coding === "LINES" ? text.split("\n").slice(0, -1) : text && JSON.parse(text);
}

/**
 * Wait until the browser has read a section, or all of the page.
 * @param {string} name
 * @returns {Promise<void>}
 */
function untilRead(name = "") {
	return new Promise((done) => {
		const look = () => {
			if (document.readyState !== "loading" || document.getElementById("xer-" + name)?.nextSibling) done();
			else setTimeout(look, 5);
		};
		look();
	});
}

/**
 * What the overview needs: the head and the tables of commands. They stand first.
 * @returns {Promise<Data>}
 */
export async function loadFirst() {
	await untilRead("documents");
	const [head, documents] = await Promise.all([read("head", "JSON"), read("documents", "JSON")]);
	addLive(head);
	return /** @type {any} */ ({head, documents, totals: new Map()});
}

/**
 * All else.
 * @param {any} data
 */
export async function loadRest(data) {
	await untilRead();
	const codings = Object.entries(SECTIONS).filter(([coding]) => coding !== "JSON").flatMap(([coding, all]) => all.split(" ").map((name) => [name, coding]));
	const values = await Promise.all(codings.map(([name, coding]) => read(name, coding)));
	/** @type {Record<string, string>} */
	const groups = {function: "functions", frame: "frames", node: "nodes", row: "rows", stack: "stacks", death: "deaths", size: "sizes", thing: "things", use: "uses", mark: "marks", usage: "usage"};
	codings.forEach(([name], i) => {
		const [table, column] = name.split(".");
		if (!column) data[name] = values[i];
		else (data[groups[table]] ??= {})[column] = values[i];
	});
	const {stack} = data.rows, node = data.stacks.node;
	data.rows.node = new Uint32Array(stack.length);
	for (let i = 0; i < stack.length; i++) data.rows.node[i] = node[stack[i]];
	await Promise.all(data.head.totals.map(async (/** @type {{number: number}} */ total) => {
		const [row, value] = await Promise.all([bytesOf(`total.${total.number}.row`), bytesOf(`total.${total.number}.value`)]);
		data.totals.set(total.number, {row: numbersOf(row, Uint32Array, true), value: numbersOf(value, Float64Array, false)});
	}));
}

/**
 * What lives at the end of a range are leaks, and blocks that were freed later.
 * @param {Head} head
 */
function addLive({metrics, deaths}) {
	for (const [keyword, live, meaning] of /** @type {[string, "bytes"|"count", string][]} */ ([["heapleakcnt", "count", "Blocks"], ["heapleakbytes", "bytes", "Bytes"]])) {
		const at = metrics.findIndex((each) => each.keyword === keyword);
		if (at >= 0 && deaths)
			metrics.splice(at + 1, 0, {...metrics[at], keyword: "live" + live, heading: meaning + " Live", meaning: meaning + " Allocated and Live at the End", usual: false, live});
	}
}
