// canvas.js: a canvas as sharp as the screen, that draws again when its size changes.

/** What draws a canvas. @type {WeakMap<HTMLCanvasElement, () => void>} */
const drawn = new WeakMap();

/** Draw all of them at once: a page that is printed does not wait for a frame. */
export function drawAll() {
	for (const canvas of document.querySelectorAll("canvas")) drawn.get(canvas)?.();
}

/**
 * @param {HTMLElement} parent
 * @param {number|(() => number)} height in pixels of the page
 * @param {(context: CanvasRenderingContext2D, width: number, height: number) => void} draw
 * @param {Record<string, string>} attributes
 */
export function canvasIn(parent, height, draw, attributes) {
	const canvas = document.createElement("canvas");
	for (const [key, value] of Object.entries(attributes)) canvas.setAttribute(key, value);
	parent.append(canvas);
	let asked = 0;
	const now = () => {
		asked = 0;
		const width = canvas.clientWidth, high = Math.max(1, Math.floor(typeof height === "number" ? height : height()));
		const ratio = window.devicePixelRatio || 1;
		if (width === 0 || !canvas.isConnected) return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(high * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(high * ratio);
			canvas.style.height = high + "px";
		}
		const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, high);
		draw(context, width, high);
	};
	const redraw = () => {
		if (!asked) asked = requestAnimationFrame(now);
	};
	new ResizeObserver(redraw).observe(parent);
	drawn.set(canvas, now);
	redraw();
	return {canvas, redraw, now};
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} color
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} tall
 */
export function fill(context, color, x, y, wide, tall) {
	context.fillStyle = color;
	context.fillRect(x, y, wide, tall);
}

/** @type {Map<string, number>} */
const widths = new Map();

/**
 * As much of a text as fits.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} room
 */
export function fit(context, text, room) {
	if (text.length > 400) text = text.slice(0, 400);
	if (room < 18) return "";
	const wide = widthOf(context, text);
	if (wide <= room) return text;
	const most = Math.floor((room / wide) * text.length) - 1;
	return most >= 2 ? text.slice(0, most) + "…" : "";
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 */
function widthOf(context, text) {
	const name = context.font + text;
	let wide = widths.get(name);
	if (wide === undefined) {
		if (widths.size > 20000) widths.clear();
		widths.set(name, (wide = context.measureText(text).width));
	}
	return wide;
}

/** Larger on very wide screens, as in style.css. */
export const isWall = matchMedia("(min-width: 2400px)").matches;
export const FONT = (isWall ? 15 : 12) + 'px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
export const SMALL = (isWall ? 13 : 11) + 'px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
