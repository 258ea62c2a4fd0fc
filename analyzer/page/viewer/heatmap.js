// heatmap.js: CPU time (or another metric) as colours: seconds from left to right, parts of a second from top to bottom. Rhythms,
// pauses and bursts show as patterns; a part that is chosen narrows every page.

import { canvasIn, fill } from "./canvas.js";
import { activityMetric, drawAxis, setRange } from "./clock.js";
import { isDark, ramp, theme } from "./palette.js";
import { state } from "./state.js";
import { brief, duration } from "./text.js";
import { heading, make, tip } from "./widget.js";
import { boxIn } from "./sandwich.js";

const MAP_HEIGHT = 160, MAP_AXIS = 16;

/**
 * How a time of this length is cut: columns, each of some cells.
 * @param {number} span
 * @param {number} unit the narrowest that the data tell
 * @param {number} width
 */
export function cut(span, unit, width) {
	const most = Math.max(20, Math.floor(width / 3));
	const column = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600].map((s) => s * 1e9).find((each) => span / each <= most) || Math.ceil(span / most / 600e9) * 600e9;
	const cell = Math.max(unit, column / 50);
	return {column, rows: Math.max(1, Math.round(column / cell))};
}

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showHeatmap(parent, report) {
	const span = report.head.duration_ns, metric = activityMetric(report);
	if (span < 0.3e9 || !report.hasValues(metric)) return;
	let width = 1, start = -1, end = -1;
	parent.append(heading("Heat map"));
	const note = make("p", {class: "summary"});
	parent.append(note);
	/** @type {{key: string, sums: Float64Array, most: number}|null} */
	let kept = null;
	const shape = () => cut(span, report.data.head.blocks.filter((block) => block.kind === metric.kind).reduce((most, block) => Math.max(most, block.width_ns), 1e6), width);
	const made = canvasIn(boxIn(parent, "picture"), MAP_HEIGHT + MAP_AXIS, (context, wide) => {
		width = wide;
		const {column, rows} = shape(), columns = Math.max(1, Math.ceil(span / column)), key = `${columns} ${rows}`;
		note.textContent = `${metric.meaning}: a column is ${duration(column)}, a cell ${duration(column / rows)}`;
		if (!kept || kept.key !== key) {
			const sums = report.aggregator.overTime(metric, 0, columns * column, columns * rows, null, 1);
			kept = {key, sums, most: quantile(sums)};
		}
		drawCells(context, kept, columns, rows, wide);
		drawAxis(context, 0, (span / (columns * column)) * wide, MAP_HEIGHT + 2, 0, 0, span);
		drawChosen(context, columns, column, rows, wide, start, end);
	}, {
		tabindex: "0", role: "img", "aria-label": `Heat map of ${metric.meaning} over time. The strip below the title chooses a range by keys.`,
	});
	const timeAt = (/** @type {PointerEvent} */ event) => {
		const {column, rows} = shape(), columns = Math.max(1, Math.ceil(span / column));
		const at = Math.max(0, Math.min(columns - 1, Math.floor((event.offsetX / width) * columns))), row = Math.max(0, Math.min(rows - 1, Math.floor((event.offsetY / MAP_HEIGHT) * rows)));
		return {time: at * column + (row * column) / rows, cell: column / rows, index: at * rows + row};
	};
	const {canvas} = made;
	canvas.addEventListener("pointerdown", (event) => {
		start = end = timeAt(event).time;
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		const {time, index} = timeAt(event);
		tip(event.clientX, event.clientY, `${duration(time)}: ${brief(metric.unit, kept?.sums[index] || 0)}`);
		if (start >= 0) {
			end = time;
			made.redraw();
		}
	});
	canvas.addEventListener("pointerup", (event) => {
		const {time, cell} = timeAt(event), from = Math.min(start, time), to = Math.max(start, time) + cell;
		if (start >= 0) setRange(report, from, to);
		start = -1;
	});
	canvas.addEventListener("pointerleave", () => tip(0, 0));
}

/** Nearly the largest value, so that one extreme does not make all others pale. @param {Float64Array} sums */
function quantile(sums) {
	const some = sums.filter((sum) => sum > 0).sort();
	return some[Math.min(some.length - 1, Math.floor(some.length * 0.98))] || 1;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {{sums: Float64Array, most: number}} kept
 * @param {number} columns
 * @param {number} rows
 * @param {number} wide
 */
function drawCells(context, kept, columns, rows, wide) {
	const dark = isDark(), colors = Array.from({length: 33}, (_, i) => ramp(i / 32, dark)), x = wide / columns, y = MAP_HEIGHT / rows;
	fill(context, theme().raised, 0, 0, wide, MAP_HEIGHT);
	for (let i = 0; i < kept.sums.length; i++) {
		if (kept.sums[i] <= 0) continue;
		fill(context, colors[Math.min(32, Math.max(3, Math.round((kept.sums[i] / kept.most) * 32)))], Math.floor(i / rows) * x, (i % rows) * y, x + 0.3, y + 0.3);
	}
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} columns
 * @param {number} column
 * @param {number} rows
 * @param {number} wide
 * @param {number} start
 * @param {number} end
 */
function drawChosen(context, columns, column, rows, wide, start, end) {
	const cell = column / rows, from = start >= 0 ? Math.min(start, end) : state.from, to = start >= 0 ? Math.max(start, end) + cell : state.to;
	if (from === null || to === null) return;
	const x = wide / columns, first = Math.floor(from / column), last = Math.min(columns - 1, Math.floor((to - 1) / column));
	context.strokeStyle = theme().accent;
	context.lineWidth = 1.5;
	for (let at = first; at <= last; at++) {
		const top = at === first ? ((from % column) / column) * MAP_HEIGHT : 0, bottom = at === last ? (((to - 1) % column) / column) * MAP_HEIGHT : MAP_HEIGHT;
		context.strokeRect(at * x + 0.5, top, Math.max(1, x - 1), Math.max(2, bottom - top));
	}
}
