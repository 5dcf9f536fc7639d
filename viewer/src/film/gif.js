// GIF (version 89a): one palette for all frames, and of each frame the rectangle that differs from the one before it.

const BITS = 6, SHIFT = 8 - BITS, BINS = 1 << (3 * BITS); // of each colour, where colours are counted
const CLEAR = 255, COLOURS = 255; // the last index is transparent: as in the frame before

const bin = (r, g, b) => ((r >> SHIFT) << (2 * BITS)) | ((g >> SHIFT) << BITS) | (b >> SHIFT);

// Colours that stand for all that were counted: the box whose colours differ most is cut at its mean until there are enough.
export class Palette {
    constructor() {
        this.many = new Uint32Array(BINS);
        this.sums = new Float64Array(3 * BINS);
        this.nearest = new Int16Array(BINS).fill(-1);
    }

    count(rgba) {
        for (let i = 0; i < rgba.length; i += 4) {
            const k = bin(rgba[i], rgba[i + 1], rgba[i + 2]);
            this.many[k]++;
            for (let c = 0; c < 3; c++) this.sums[3 * k + c] += rgba[i + c];
        }
    }

    choose() {
        const seen = [];
        for (let k = 0; k < BINS; k++)
            if (this.many[k]) seen.push({ n: this.many[k], x: [0, 1, 2].map((c) => this.sums[3 * k + c] / this.many[k]) });
        const boxes = [measure(seen)];
        while (boxes.length < COLOURS) {
            const worst = boxes.reduce((a, b) => (b.spread > a.spread ? b : a));
            if (!(worst.spread > 0)) break;
            const { axis, mean, list } = worst, low = list.filter(({ x }) => x[axis] <= mean[axis]), high = list.filter(({ x }) => x[axis] > mean[axis]);
            if (!low.length || !high.length) { worst.spread = 0; continue; } // by round-off
            boxes.splice(boxes.indexOf(worst), 1, measure(low), measure(high));
        }
        this.colours = boxes.map(({ mean }) => mean.map(Math.round));
    }

    indexOf(r, g, b) {
        const k = bin(r, g, b);
        if (this.nearest[k] >= 0) return this.nearest[k];
        let best = 0, least = Infinity;
        this.colours.forEach(([R, G, B], i) => {
            const d = (R - r) ** 2 + (G - g) ** 2 + (B - b) ** 2;
            if (d < least) { least = d; best = i; }
        });
        return (this.nearest[k] = best);
    }
}

// Mean, the axis of the largest variance, and that variance; the root of the number keeps large flat parts from taking all colours.
function measure(list) {
    const mean = [0, 0, 0], square = [0, 0, 0];
    let n = 0;
    for (const { n: m, x } of list) { n += m; for (let c = 0; c < 3; c++) mean[c] += m * x[c]; }
    for (let c = 0; c < 3; c++) mean[c] /= n;
    for (const { n: m, x } of list) for (let c = 0; c < 3; c++) square[c] += m * (x[c] - mean[c]) ** 2;
    const axis = square.indexOf(Math.max(...square));
    return { list, mean, axis, spread: list.length > 1 ? square[axis] / Math.sqrt(n) : 0 };
}

class Bytes {
    constructor() { this.data = new Uint8Array(1 << 16); this.length = 0; }
    put(...bytes) {
        if (this.length + bytes.length > this.data.length) {
            const larger = new Uint8Array(2 * this.data.length);
            larger.set(this.data);
            this.data = larger;
        }
        for (const byte of bytes) this.data[this.length++] = byte;
    }
    put16(...numbers) { for (const x of numbers) this.put(x & 255, x >> 8); }
}

// LZW with codes of 9 to 12 bits, in blocks of at most 255 bytes.
function compress(indices, out) {
    const END = 257, FIRST = 258, block = [], next = new Int16Array(4096 * 256);
    let bits = 9, free = FIRST, hold = 0, held = 0;
    const flush = () => { if (block.length) out.put(block.length, ...block.splice(0)); };
    const emit = (code) => {
        hold |= code << held;
        for (held += bits; held >= 8; held -= 8, hold >>>= 8) { block.push(hold & 255); if (block.length === 255) flush(); }
    };
    out.put(8);
    emit(256);
    let code = indices[0];
    for (let i = 1; i < indices.length; i++) {
        const at = code * 256 + indices[i];
        if (next[at]) { code = next[at]; continue; }
        emit(code);
        if (free < 4096) {
            next[at] = free;
            if (free === 1 << bits && bits < 12) bits++;
            free++;
        } else {
            emit(256);
            next.fill(0);
            bits = 9;
            free = FIRST;
        }
        code = indices[i];
    }
    emit(code);
    // the reader has then one entry more than was emitted: its codes may have become wider
    if (free === 1 << bits && bits < 12) bits++;
    emit(END);
    if (held > 0) block.push(hold & 255);
    flush();
    out.put(0);
}

export class Gif {
    constructor(width, height, palette) {
        Object.assign(this, { width, height, palette, out: new Bytes(), before: null });
        this.out.put(...[..."GIF89a"].map((c) => c.charCodeAt(0)));
        this.out.put16(width, height);
        this.out.put(0xf7, 0, 0);
        for (let i = 0; i < 256; i++) this.out.put(...(palette.colours[i] ?? [0, 0, 0]));
        this.out.put(0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0); // again and again
    }

    // hundredths of a second that it stays
    add(rgba, stays) {
        const { width, height, before } = this, now = new Uint8Array(width * height);
        let left = width, right = -1, top = height, bottom = -1;
        for (let i = 0, y = 0; y < height; y++)
            for (let x = 0; x < width; x++, i++) {
                now[i] = this.palette.indexOf(rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]);
                if (before && now[i] === before[i]) continue;
                left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = y;
            }
        if (right < 0) { left = top = right = bottom = 0; } // nothing has changed: one point
        const w = right - left + 1, h = bottom - top + 1, part = new Uint8Array(w * h);
        for (let y = 0; y < h; y++)
            for (let x = 0; x < w; x++) {
                const i = (top + y) * width + left + x;
                part[y * w + x] = before && now[i] === before[i] ? CLEAR : now[i];
            }
        this.out.put(0x21, 0xf9, 4, before ? 0x05 : 0x04); // leave it; with a transparent index
        this.out.put16(stays);
        this.out.put(CLEAR, 0, 0x2c);
        this.out.put16(left, top, w, h);
        this.out.put(0);
        compress(part, this.out);
        this.before = now;
    }

    finish() {
        this.out.put(0x3b);
        return this.out.data.subarray(0, this.out.length);
    }
}
