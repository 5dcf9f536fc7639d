// A picture of the page's drawing with what is laid over it: names of points, names of runs, the scale of colours.

const LAID = "#labels span, #legend .chip, #shades span, #shades i"; // in the order in which they are painted

function swatch(context, style, x, y, w, h) {
    const colours = style.backgroundImage.match(/rgba?\([^)]*\)/g), fill = colours ? context.createLinearGradient(x, 0, x + w, 0) : style.backgroundColor;
    colours?.forEach((colour, i) => fill.addColorStop(i / (colours.length - 1), colour));
    context.fillStyle = fill;
    context.fillRect(x, y, w, h);
}

// How many pixels of the drawing `source` are one of the page.
export const scaleOf = (source) => source.width / source.getBoundingClientRect().width;

// All is where it stands on `frame`.
export function paint(context, source, frame) {
    const { width, height } = context.canvas, whole = frame.getBoundingClientRect(), scale = scaleOf(source), drawn = source.getBoundingClientRect();
    context.fillStyle = getComputedStyle(frame).backgroundColor;
    context.fillRect(0, 0, width, height);
    context.drawImage(source, Math.round((drawn.left - whole.left) * scale), Math.round((drawn.top - whole.top) * scale));
    for (const element of frame.querySelectorAll(LAID)) {
        const style = getComputedStyle(element), box = element.getBoundingClientRect();
        if (!element.checkVisibility() || style.visibility === "hidden" || !box.width) continue;
        const x = (box.left - whole.left) * scale, y = (box.top - whole.top) * scale, w = box.width * scale, h = box.height * scale;
        if (element.tagName === "I") { swatch(context, style, x, y, w, h); continue; }
        const mark = element.querySelector("i"), left = mark ? (mark.getBoundingClientRect().right - box.left + 6) * scale : 0;
        if (mark) {
            const dot = mark.getBoundingClientRect();
            swatch(context, getComputedStyle(mark), (dot.left - whole.left) * scale, (dot.top - whole.top) * scale, dot.width * scale, dot.height * scale);
        }
        context.globalAlpha = Number(style.opacity);
        context.font = `${style.fontWeight} ${parseFloat(style.fontSize) * scale}px system-ui, sans-serif`;
        context.textBaseline = "middle";
        context.lineJoin = "round";
        context.lineWidth = 3 * scale;
        context.strokeStyle = getComputedStyle(frame).backgroundColor;
        context.fillStyle = style.color;
        context.strokeText(element.textContent.trim(), x + left, y + h / 2);
        context.fillText(element.textContent.trim(), x + left, y + h / 2);
        context.globalAlpha = 1;
    }
}
