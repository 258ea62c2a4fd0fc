// timeline.js: a lane for each thread: its share of a CPU over time, its waits and calls; above them the heap and counters. A
// range that is chosen here narrows every page.

import { canvasIn, fill, fit, FONT, isWall, SMALL } from "./canvas.js";
import { activityMetric, brush, curvesOf, drawAxis, drawCurve, setRange } from "./clock.js";
import { copyCommand } from "./command.js";
import { showHeatmap } from "./heatmap.js";
import { markColor, theme } from "./palette.js";
import { choose, state } from "./state.js";
import { drawStates, statesOf, statesOver, stateText } from "./states.js";
import { brief, duration, exact, safe } from "./text.js";
import { button, heading, make, patch, say, tip } from "./widget.js";
import { threads, toggleThread } from "./functions.js";
import { lowerBound } from "./aggregate.js";
import { boxIn } from "./sandwich.js";

const LANE = isWall ? 32 : 24, HEAD = 18, CURVE = 44, LEAST_LABEL = 90, MOST_LABEL = 220;

/**
 * @typedef {{thread: number, process: number, isHead: boolean, isOnly?: boolean}} Lane
 * a thread, or (isHead) a process: its threads together; isOnly: a process of one thread
 */

/** Processes whose threads are folded away. @type {Set<number>} */
const folded = new Set();
let isPrepared = false;

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showTimeline(parent, report) {
	if (!isPrepared) foldMany(report);
	isPrepared = true;
	parent.append(heading("Timeline",
		button("all of the time", () => setRange(report, null, null), {class: "quiet"}),
		button("all threads", () => choose({threads: null}), {class: "quiet"}),
		copyCommand(report, ["threads"])));
	parent.append(new Lanes(report).box, markLegend(report));
	showHeatmap(parent, report);
	parent.append(heading("Threads"), threads(report, statesOf(report).flatMap(({metrics}) => metrics)));
}

/** Many processes are folded at first. @param {import("./report.js").Report} report */
function foldMany(report) {
	const {experiments, threads: all} = report.head;
	if (experiments.length > 1 && all.length > 40) experiments.forEach((_, at) => folded.add(at));
}

/** @param {import("./report.js").Report} report */
function markLegend(report) {
	const kinds = new Set(report.data.marks.kind);
	const names = report.head.kinds.filter((kind) => kinds.has(kind.number));
	const states = statesOf(report);
	/** @type {[number, string, string][]} */
	const events = [[report.head.collections.length, theme().match, "Garbage collection"], [report.head.labels.length, theme().accent, "Label of a usage sample"]];
	return make("p", {class: "legend"}, ...(states.length ? states.map(({color, title}) => patch(color, title)) : [patch(theme().cpu, activityMetric(report).meaning)]), make("span", {}, "below:"), ...names.map((kind) => patch(markColor(kind.number), kind.title)),
		...events.filter(([count]) => count > 0).map(([, color, text]) => patch(color, text)),
		make("span", {class: "soft"}, "drag: choose a range · wheel with Ctrl: zoom · click a thread: only this · click a process: fold"));
}

class Lanes {
	/** Numbers of marks by thread, in order of time. @type {Map<number, number[]>} */
	marks = new Map();
	/** When they begin. @type {Map<number, Float64Array>} */
	starts = new Map();
	/** How long the longest takes. @type {Map<number, number>} */
	longest = new Map();
	/** What is being chosen. @type {[number, number]|null} */
	drag = null;

	/** @param {import("./report.js").Report} report */
	constructor(report) {
		this.report = report;
		this.lanes = lanesOf(report);
		this.from = 0;
		this.to = Math.max(1, report.head.duration_ns);
		this.zoomToRange();
		this.sort();
		this.box = make("div", {class: "lanes", tabIndex: -1});
		this.curves = curvesOf(report);
		this.states = statesOf(report);
		const spacer = make("div");
		spacer.style.height = this.height() + "px";
		this.box.append(spacer);
		const view = boxIn(this.box, "lanesview");
		const made = canvasIn(view, () => this.viewHeight(), (context, width, height) => this.draw(context, width, height), {
			tabindex: "0", role: "application", "aria-label": "Timeline of threads",
			"aria-description": "Left and right move, plus and minus zoom, Enter chooses what is visible as the range of time, Escape shows all. The table of threads below says the same in numbers.",
		});
		this.canvas = made.canvas;
		this.redraw = made.redraw;
		this.box.addEventListener("scroll", () => this.redraw());
		this.width = 1;
		this.colors = theme();
		this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
		this.listen();
	}

	/** The chosen range with a margin. */
	zoomToRange() {
		if (state.from === null || state.to === null) return;
		const margin = (state.to - state.from) * 0.25;
		this.from = Math.max(0, state.from - margin);
		this.to = Math.min(this.report.head.duration_ns, state.to + margin);
		if (this.to <= this.from) this.to = this.from + 1e6;
	}

	/** Marks by thread, in order of time. */
	sort() {
		const {thread, duration: length} = this.report.data.marks;
		for (let i = 0; i < thread.length; i++) {
			const list = this.marks.get(thread[i]);
			if (list) list.push(i);
			else this.marks.set(thread[i], [i]);
			this.longest.set(thread[i], Math.max(this.longest.get(thread[i]) || 0, length[i]));
		}
	}

	top() {
		return HEAD + this.curves.length * CURVE;
	}

	height() {
		return this.top() + this.lanes.length * LANE;
	}

	viewHeight() {
		return Math.min(this.height(), Math.max(200, Math.floor(window.innerHeight * 0.55)));
	}

	label() {
		return Math.min(MOST_LABEL, Math.max(LEAST_LABEL, this.width * 0.16));
	}

	/** @param {number} x */
	timeAt(x) {
		const left = this.label();
		return this.from + (Math.max(0, x - left) / Math.max(1, this.width - left)) * (this.to - this.from);
	}

	/** @param {number} y */
	laneAt(y) {
		return y < this.top() ? undefined : this.lanes[Math.floor((y - this.top() + this.box.scrollTop) / LANE)];
	}

	listen() {
		const {canvas, report} = this;
		brush(canvas, (x) => this.timeAt(x), (from, to, isDone) => {
			this.drag = isDone || from === null || to === null ? null : [from, to];
			if (isDone) setRange(report, from, to);
			this.redraw();
		}, (event) => {
			const lane = this.laneAt(event.offsetY);
			if (!lane || event.offsetX > this.label()) return;
			if (lane.isHead) this.fold(lane.process);
			else if (event.ctrlKey || event.metaKey) toggleThread(report, lane.thread);
			else choose({threads: new Set([lane.thread])});
		});
		canvas.addEventListener("wheel", (event) => {
			if (!event.ctrlKey && !event.metaKey && !event.altKey) return;
			event.preventDefault();
			this.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
		}, {passive: false});
		canvas.addEventListener("pointermove", (event) => this.tell(event));
		canvas.addEventListener("pointerleave", () => tip(0, 0));
		canvas.addEventListener("keydown", (event) => this.key(event));
		this.pinch();
	}

	/** Two fingers zoom. */
	pinch() {
		/** @type {Map<number, number>} */
		const fingers = new Map();
		this.canvas.addEventListener("pointerdown", (event) => {
			if (event.pointerType === "touch") fingers.set(event.pointerId, event.offsetX);
		});
		this.canvas.addEventListener("pointermove", (event) => {
			if (!fingers.has(event.pointerId)) return;
			const before = [...fingers.values()];
			fingers.set(event.pointerId, event.offsetX);
			const after = [...fingers.values()];
			if (after.length !== 2) return;
			const wide = Math.abs(before[0] - before[1]), now = Math.max(1, Math.abs(after[0] - after[1]));
			if (wide > 0) this.zoomBy(wide / now, this.timeAt((after[0] + after[1]) / 2));
		});
		for (const name of ["pointerup", "pointercancel"])
			this.canvas.addEventListener(name, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
	}

	/**
	 * @param {number} factor
	 * @param {number} at stays where it is
	 */
	zoomBy(factor, at) {
		const whole = Math.max(1, this.report.head.duration_ns), wide = Math.max(1e5, Math.min(whole, (this.to - this.from) * factor));
		const share = (at - this.from) / (this.to - this.from);
		this.from = Math.max(0, Math.min(whole - wide, at - share * wide));
		this.to = this.from + wide;
		this.redraw();
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const wide = this.to - this.from, whole = this.report.head.duration_ns, middle = (this.from + this.to) / 2;
		if (event.key === "+" || event.key === "=") this.zoomBy(0.7, middle);
		else if (event.key === "-") this.zoomBy(1.4, middle);
		else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
			const move = Math.max(-this.from, Math.min(whole - this.to, (wide / 8) * (event.key === "ArrowLeft" ? -1 : 1)));
			this.from += move;
			this.to += move;
			this.redraw();
		} else if (event.key === "Enter") setRange(this.report, this.from, this.to);
		else if (event.key === "Escape") {
			this.from = 0;
			this.to = Math.max(1, whole);
			setRange(this.report, null, null);
			this.redraw();
		} else return;
		event.preventDefault();
		say(`${duration(this.from)} to ${duration(this.to)}`);
	}

	/** @param {number} process */
	fold(process) {
		if (!folded.delete(process)) folded.add(process);
		this.lanes = lanesOf(this.report);
		/** @type {HTMLElement} */ (this.box.firstChild).style.height = this.height() + "px";
		this.redraw();
	}

	/** @param {PointerEvent} event */
	tell(event) {
		const lane = this.laneAt(event.offsetY), time = this.timeAt(event.offsetX), curve = this.curves[Math.floor((event.offsetY - HEAD) / CURVE)];
		if (curve) {
			const wide = (this.to - this.from) / this.width;
			tip(event.clientX, event.clientY, make("div", {class: "name"}, curve.title), `${exact("s", time)} s: ${curveText(curve, curve.at(time - wide, time + wide, 2)[1])}`);
			return;
		}
		if (event.offsetX < this.label()) {
			tip(event.clientX, event.clientY, lane ? safe(this.laneName(lane)) : "");
			return;
		}
		const lines = [make("div", {class: "soft"}, exact("s", time) + " s")], mark = lane ? this.markAt(lane, time) : -1;
		if (lane) lines.unshift(make("div", {class: "name"}, safe(this.laneName(lane))));
		const near = (this.to - this.from) / this.width, did = lane && !lane.isHead && this.states.length ? stateText(this.report, lane.thread, time - near, time + near) : "";
		if (did) lines.push(make("div", {}, did));
		if (mark >= 0) {
			const {marks, strings} = this.report.data, inside = this.report.name("function", this.report.forest.functionOf[marks.node[mark]]), name = strings[marks.name[mark]] || inside;
			lines.push(make("div", {}, `${safe(name)}  ${duration(marks.duration[mark])}${marks.bytes[mark] ? "  " + brief("bytes", marks.bytes[mark]) : ""}`));
			lines.push(make("div", {class: "soft"}, "in " + safe(inside)));
		}
		tip(event.clientX, event.clientY, ...lines);
	}

	/**
	 * The shortest mark of a lane at a time.
	 * @param {Lane} lane
	 * @param {number} time
	 */
	markAt(lane, time) {
		const {begin, duration: length} = this.report.data.marks, near = ((this.to - this.from) / this.width) * 2;
		let best = -1;
		for (const i of this.marks.get(lane.thread) || [])
			if (begin[i] - near <= time && begin[i] + length[i] + near >= time && (best < 0 || length[i] < length[best])) best = i;
		return best;
	}

	/** @param {Lane} lane */
	laneName(lane) {
		if (lane.isOnly) return this.report.processName(lane.process);
		return lane.isHead ? `${folded.has(lane.process) ? "▸" : "▾"} ${this.report.processName(lane.process)}` : this.report.threadName(lane.thread);
	}

	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {number} width
	 * @param {number} height
	 */
	draw(context, width, height) {
		this.context = context;
		this.width = width;
		this.colors = theme();
		const {report, from, to} = this, left = this.label(), top = this.top(), scroll = this.box.scrollTop;
		const first = Math.floor(scroll / LANE), last = Math.min(this.lanes.length, first + Math.ceil((height - top) / LANE) + 1);
		const steps = Math.max(10, Math.floor(width - left)), metric = activityMetric(report), visible = this.lanes.slice(first, last);
		const laneOf = this.laneOf(visible), sums = report.aggregator.overview(metric, from, to, steps, laneOf, visible.length);
		const which = statesOver(report, this.states, from, to, steps, laneOf, visible.length);
		drawAxis(context, left, width - left, 2, height, from, to);
		this.curves.forEach((curve, at) => this.drawCurve(curve, HEAD + at * CURVE));
		context.save();
		context.beginPath();
		context.rect(0, top, width, height - top);
		context.clip();
		const most = metric.keyword === "totalcpu" ? (to - from) / steps : sums.reduce((a, b) => Math.max(a, b), 0) || 1;
		visible.forEach((lane, at) => {
			const y = top + (first + at) * LANE - scroll, part = [at * steps, (at + 1) * steps];
			this.drawLane(lane, y, () => {
				drawStates(context, this.states, which.subarray(...part), left, y + 2, LANE - 8);
				this.drawCpu(sums.subarray(...part), y, most);
			});
		});
		context.restore();
		this.drawRange(height);
	}

	/** Where a time is drawn. @param {number} time */
	xAt(time) {
		const left = this.label();
		return left + ((time - this.from) / (this.to - this.from)) * (this.width - left);
	}

	/**
	 * Where a thread is drawn; negative: nowhere.
	 * @param {Lane[]} visible
	 * @returns {(thread: number) => number}
	 */
	laneOf(visible) {
		const laneOf = new Map(), heads = new Map();
		visible.forEach((lane, at) => {
			if (!lane.isHead) laneOf.set(lane.thread, at);
			else if (folded.has(lane.process)) heads.set(lane.process, at);
		});
		return (thread) => laneOf.get(thread) ?? heads.get(this.report.head.threads[thread].experiment) ?? -1;
	}

	/**
	 * @param {import("./clock.js").Curve} curve
	 * @param {number} y
	 */
	drawCurve(curve, y) {
		const {context, colors} = this, left = this.label(), wide = this.width - left;
		const most = drawCurve(context, curve.at(this.from, this.to, Math.max(2, Math.floor(wide))), left, wide, y + CURVE - 4, CURVE - 10, colors[curve.color]);
		context.font = FONT;
		context.fillStyle = colors.text;
		context.textBaseline = "middle";
		context.fillText(fit(context, curve.title, left - 16), 8, y + CURVE / 2 - 6);
		context.font = SMALL;
		context.fillStyle = colors.soft;
		context.fillText("up to " + curveText(curve, most), 8, y + CURVE / 2 + 8);
	}

	/**
	 * @param {Lane} lane
	 * @param {number} y
	 * @param {() => void} drawTime
	 */
	drawLane(lane, y, drawTime) {
		const {context, colors, width} = this;
		if (lane.isHead) fill(context, colors.raised, 0, y, width, LANE - 1);
		fill(context, colors.line, 0, y + LANE - 1, width, 1);
		context.globalAlpha = lane.isHead || !state.threads || state.threads.has(lane.thread) ? 1 : 0.35;
		drawTime();
		if (!lane.isHead) this.drawMarks(lane, y);
		this.drawEnds(lane, y);
		context.font = lane.isHead ? "600 " + FONT : FONT;
		context.textBaseline = "middle";
		context.fillStyle = colors.text;
		context.fillText(fit(context, safe(this.laneName(lane)), this.label() - 16 - (lane.isHead ? 0 : 8)), lane.isHead ? 6 : 14, y + LANE / 2);
		context.globalAlpha = 1;
	}

	/**
	 * @param {Float64Array} sums
	 * @param {number} y
	 * @param {number} most
	 */
	drawCpu(sums, y, most) {
		const left = this.label();
		for (let i = 0; i < sums.length; i++)
			if (sums[i] > 0) {
				const tall = Math.max(1, Math.min(1, sums[i] / most) * (LANE - 8));
				fill(this.context, this.colors.cpu, left + i, y + LANE - 6 - tall, 1, tall);
			}
	}

	/**
	 * @param {Lane} lane
	 * @param {number} y
	 */
	drawMarks(lane, y) {
		const list = this.marks.get(lane.thread);
		if (!list) return;
		const {begin, duration: length, kind} = this.report.data.marks, left = this.label();
		const start = this.from - (this.longest.get(lane.thread) || 0);
		let starts = this.starts.get(lane.thread);
		if (!starts) this.starts.set(lane.thread, (starts = Float64Array.from(list, (i) => begin[i])));
		for (let at = lowerBound(starts, start, 0, list.length); at < list.length && begin[list[at]] < this.to; at++) {
			const i = list[at], x = Math.max(left, this.xAt(begin[i])), end = this.xAt(begin[i] + length[i]);
			if (end >= left) fill(this.context, markColor(kind[i]), x, y + LANE - 5, Math.max(1, end - x), 4);
		}
	}

	/**
	 * Where a thread or process begins and a process ends, its collections of garbage and labels.
	 * @param {Lane} lane
	 * @param {number} y
	 */
	drawEnds(lane, y) {
		const {colors, report: {head}} = this, experiment = head.experiments[lane.process];
		/** @param {number} time @param {string} color @param {number} wide */
		const line = (time, color, wide) => {
			const x = this.xAt(time);
			if (x >= this.label() && x <= this.width) fill(this.context, color, x, y + 2, wide, LANE - 5);
		};
		line(lane.isHead ? experiment.start_ns : head.threads[lane.thread].start_ns, colors.soft, 1);
		if (!lane.isHead && !lane.isOnly) return;
		line(experiment.start_ns + experiment.duration_ns, colors.soft, 2);
		for (const label of head.labels) if (label.experiment === lane.process) line(label.time_ns, colors.accent, 2);
		for (const gc of head.collections) if (gc.experiment === lane.process) line(gc.begin_ns, colors.match, Math.max(1, this.xAt(gc.duration_ns) - this.xAt(0)));
	}

	/** @param {number} height */
	drawRange(height) {
		const [from, to] = this.drag || [state.from, state.to], {context, width, colors: {accent, back}} = this, left = this.label();
		if (from === null || to === null) return;
		const x = Math.min(width, Math.max(left, this.xAt(from))), end = Math.max(left, Math.min(width, this.xAt(to)));
		// What is not chosen is pale, so that the colours of what is stay true.
		context.globalAlpha = 0.6;
		fill(context, back, left, 0, x - left, height);
		fill(context, back, end, 0, width - end, height);
		context.globalAlpha = 1;
		fill(context, accent, x, 0, 1, height);
		fill(context, accent, end - 1, 0, 1, height);
	}
}

/** @param {import("./clock.js").Curve} curve @param {number} value */
function curveText(curve, value) {
	return brief(curve.unit, Math.round(value)) + (curve.isRate ? " a second" : "");
}

/**
 * @param {import("./report.js").Report} report
 * @returns {Lane[]}
 */
function lanesOf(report) {
	const {head} = report, used = new Set(report.data.rows.thread), many = head.experiments.length > 1;
	/** @type {Lane[]} */
	const lanes = [];
	/** @type {number[][]} */
	const by = head.experiments.map(() => []);
	head.threads.forEach((thread, at) => {
		if (thread.number > 0 || used.has(at)) by[thread.experiment].push(at);
	});
	head.experiments.forEach((experiment, process) => {
		if (experiment.is_base) return;
		if (many && by[process].length === 1) {
			lanes.push({thread: by[process][0], process, isHead: false, isOnly: true});
			return;
		}
		if (many || head.labels.length || head.collections.length) lanes.push({thread: -1, process, isHead: true});
		if (!folded.has(process)) for (const thread of by[process]) lanes.push({thread, process, isHead: false});
	});
	return lanes;
}

