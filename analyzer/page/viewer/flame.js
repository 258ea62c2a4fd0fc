// flame.js: a tree of calls as rectangles on a canvas: as flames (the outermost function at the bottom) or icicles (on top).

import { canvasIn, fill, fit, FONT, isWall } from "./canvas.js";
import { changeColor, frameColor, isDark, theme } from "./palette.js";
import { brief, safe, valueText } from "./text.js";
import { make, say, tip } from "./widget.js";

const ROW = isWall ? 23 : 18, LEAST = 0.6;

/**
 * @typedef {{tree: import("./tree.js").Tree, own: Float64Array, base?: Float64Array|null, metric: import("./data.js").Metric,
 *   report: import("./report.js").Report, isUp: boolean, label: string, whole: number, rootName?: string,
 *   pick?: (key: number) => void, zoomed?: (node: number) => void}} FlameOptions
 * @typedef {{node: number, depth: number, x: number, wide: number}} Box
 */

export class Flame {
	/**
	 * @param {HTMLElement} parent
	 * @param {FlameOptions} options
	 */
	constructor(parent, options) {
		this.options = options;
		this.zoom = 0;
		this.total = options.tree.totals(options.own);
		this.baseTotal = options.base ? options.tree.totals(options.base) : null;
		this.depth = 1;
		/** @type {Box[]} */
		this.boxes = [];
		this.hover = -1;
		this.at = 0;
		const made = canvasIn(parent, () => this.depth * ROW + 2, (context, width) => this.draw(context, width), {
			tabindex: "0", role: "application", "aria-label": options.label,
			"aria-description": "Arrow keys move between calls, Enter enlarges one, Escape shows all, S shows callers and callees.",
		});
		this.canvas = made.canvas;
		this.redraw = made.redraw;
		this.listen();
	}

	listen() {
		const {canvas} = this;
		canvas.addEventListener("pointermove", (event) => {
			const box = this.boxAt(event.offsetX, event.offsetY);
			const node = box ? box.node : -1;
			canvas.style.cursor = box ? "pointer" : "default";
			if (box) tip(event.clientX, event.clientY, ...this.describe(box.node));
			else tip(0, 0);
			if (node === this.hover) return;
			this.hover = node;
			this.redraw();
		});
		canvas.addEventListener("pointerleave", () => {
			this.hover = -1;
			tip(0, 0);
			this.redraw();
		});
		canvas.addEventListener("click", (event) => {
			const box = this.boxAt(event.offsetX, event.offsetY);
			if (!box) return;
			if (event.shiftKey || event.ctrlKey || event.metaKey) this.options.pick?.(this.options.tree.key[box.node]);
			else this.zoomTo(box.node);
		});
		canvas.addEventListener("dblclick", (event) => {
			const box = this.boxAt(event.offsetX, event.offsetY);
			if (box) this.options.pick?.(this.options.tree.key[box.node]);
		});
		canvas.addEventListener("keydown", (event) => this.key(event));
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const inner = this.options.isUp ? "ArrowUp" : "ArrowDown", outer = this.options.isUp ? "ArrowDown" : "ArrowUp";
		const boxes = this.boxes, here = boxes.find((box) => box.node === this.at) || boxes[0];
		/** @type {Box|undefined} */
		let next;
		if (!here) return;
		if (event.key === inner) next = boxes.filter((box) => this.options.tree.parent[box.node] === here.node && box.node !== 0).sort((a, b) => b.wide - a.wide)[0];
		else if (event.key === outer) next = boxes.find((box) => box.node === this.options.tree.parent[here.node]);
		else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
			const row = boxes.filter((box) => box.depth === here.depth).sort((a, b) => a.x - b.x);
			next = row[row.indexOf(here) + (event.key === "ArrowLeft" ? -1 : 1)];
		} else if (event.key === "Enter") this.zoomTo(this.at);
		else if (event.key === "Escape") this.zoomTo(0);
		else if (event.key === "s" || event.key === "S") this.options.pick?.(this.options.tree.key[this.at]);
		else return;
		event.preventDefault();
		if (next) {
			this.at = next.node;
			say(this.words(next.node));
		}
		this.redraw();
	}

	/** @param {number} node */
	zoomTo(node) {
		this.zoom = this.zoom === node ? 0 : node;
		this.at = this.zoom;
		tip(0, 0);
		say(this.words(this.zoom));
		this.options.zoomed?.(this.zoom);
		this.redraw();
	}

	/** @param {number} node */
	nameOf(node) {
		const {tree, report, rootName} = this.options;
		return node === 0 && rootName ? rootName : safe(report.name(tree.by, tree.key[node]));
	}

	/** @param {number} node */
	words(node) {
		const {metric, own, report, whole} = this.options;
		return `${this.nameOf(node)}: ${valueText(metric, this.total[node])} (${report.percent(metric, this.total[node], whole)} %), of itself ${valueText(metric, own[node])}`;
	}

	/** @param {number} node */
	describe(node) {
		const {tree, report, metric, own, base, whole} = this.options, {data} = report, key = tree.key[node];
		const of = tree.by === "object" ? -1 : tree.by === "line" ? data.frames.function[key] : key;
		const lines = [make("div", {class: "name"}, this.nameOf(node))];
		if (of >= 0 && node !== 0) {
			const file = data.strings[data.functions.file[of]];
			lines.push(make("div", {class: "soft"}, safe(data.strings[data.functions.object[of]] + (file ? "  " + file + (data.functions.line[of] ? ":" + data.functions.line[of] : "") : ""))));
		}
		lines.push(make("div", {}, `${metric.heading}: ${valueText(metric, this.total[node])}${metric.unit === "s" ? " s" : ""}  ${report.percent(metric, this.total[node], whole)} %`));
		lines.push(make("div", {class: "soft"}, `of itself ${valueText(metric, own[node])}  ${report.percent(metric, own[node], whole)} %`));
		if (base && this.baseTotal) {
			const change = this.total[node] - this.baseTotal[node];
			lines.push(make("div", {}, `before ${valueText(metric, this.baseTotal[node])}, change ${change > 0 ? "+" : ""}${valueText(metric, change)}`));
		}
		return lines;
	}

	/**
	 * @param {number} x
	 * @param {number} y
	 */
	boxAt(x, y) {
		const row = Math.floor(y / ROW), depth = this.options.isUp ? this.depth - 1 - row : row;
		return this.boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + Math.max(1, box.wide));
	}

	/**
	 * Lay out what is wide enough to be seen: below the node that is enlarged, and those above it over the whole width.
	 * @param {number} width
	 */
	lay(width) {
		const {tree} = this.options, {first, list} = tree.children(), total = this.weights();
		/** @type {Box[]} */
		const boxes = [];
		/** @type {number[]} */
		const above = [];
		for (let node = this.zoom; node !== 0; node = tree.parent[node]) above.unshift(tree.parent[node]);
		above.forEach((node, depth) => boxes.push({node, depth, x: 0, wide: width}));
		const scale = width / (total[this.zoom] || 1);
		const todo = [{node: this.zoom, depth: above.length, x: 0, wide: width}];
		let deepest = above.length;
		while (todo.length) {
			const box = /** @type {Box} */ (todo.pop());
			boxes.push(box);
			if (box.depth > deepest) deepest = box.depth;
			const below = [];
			for (let i = first[box.node]; i < first[box.node + 1]; i++) if (total[list[i]] * scale >= LEAST) below.push(list[i]);
			below.sort((a, b) => total[b] - total[a] || a - b);
			let x = box.x;
			for (const node of below) {
				const wide = total[node] * scale;
				todo.push({node, depth: box.depth + 1, x, wide});
				x += wide;
			}
		}
		this.boxes = boxes;
		return deepest + 1;
	}

	/** What the width of a box stands for: in a difference, the greater side, so that what vanished is seen. */
	weights() {
		if (!this.baseTotal) return this.total;
		if (!this.wider) {
			const {tree, own, base} = this.options;
			this.wider = tree.totals(Float64Array.from(own, (value, i) => Math.max(value, /** @type {Float64Array} */ (base)[i])));
		}
		return this.wider;
	}

	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {number} width
	 */
	draw(context, width) {
		const depth = this.lay(width);
		if (depth !== this.depth) {
			this.depth = depth;
			this.redraw();
			return;
		}
		const colors = theme(), dark = isDark(), matched = this.options.report.matched();
		context.font = FONT;
		context.textBaseline = "middle";
		for (const box of this.boxes) this.drawBox(context, box, colors, dark, matched);
	}

	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {Box} box
	 * @param {ReturnType<typeof theme>} colors
	 * @param {boolean} dark
	 * @param {{keys: Uint8Array}|null} matched
	 */
	drawBox(context, box, colors, dark, matched) {
		const {tree, report, isUp} = this.options, key = tree.key[box.node];
		const y = (isUp ? this.depth - 1 - box.depth : box.depth) * ROW, wide = Math.max(box.wide, 0.7);
		const draw = (/** @type {string} */ color) => fill(context, color, box.x, y, wide - (wide > 3 ? 1 : 0), ROW - 1);
		draw(this.colorOf(box.node, dark));
		const of = tree.by === "line" ? report.data.frames.function[key] : key;
		const isMatch = matched && tree.by !== "object" && box.node !== 0 && matched.keys[of];
		if (isMatch) draw(colors.match);
		if (box.node === this.hover || (box.node === this.at && document.activeElement === this.canvas)) {
			context.strokeStyle = colors.text;
			context.lineWidth = 1.5;
			context.strokeRect(box.x + 0.75, y + 0.75, Math.max(1, wide - 2.5), ROW - 2.5);
		}
		const text = fit(context, this.nameOf(box.node), wide - 8);
		if (!text) return;
		context.fillStyle = isMatch ? "#1a1a1a" : colors.text;
		context.fillText(text, box.x + 4, y + ROW / 2);
	}

	/**
	 * @param {number} node
	 * @param {boolean} dark
	 */
	colorOf(node, dark) {
		const {tree, report, whole} = this.options;
		if (this.baseTotal) {
			const change = this.total[node] - this.baseTotal[node], most = Math.max(this.total[node], this.baseTotal[node], whole / 200);
			return changeColor(change / most, dark);
		}
		if (node === 0) return dark ? "hsl(215 8% 30%)" : "hsl(215 12% 86%)";
		return frameColor(report.origin(tree.by, tree.key[node]), tree.key[node], dark);
	}
}

/**
 * What is known about a metric's sum, for the line above a picture.
 * @param {import("./data.js").Metric} metric
 * @param {number} sum
 */
export function sumText(metric, sum) {
	return `${metric.meaning}: ${valueText(metric, sum)}${metric.unit === "s" ? " s" : metric.unit === "bytes" ? " bytes (" + brief("bytes", sum) + ")" : ""}`;
}
