// Numbers for readers.

export const exact = (x, digits = 4) => {
    if (x === null || x === undefined || !Number.isFinite(x)) return "-";
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace(/^-/, "\u2212");
    return String(Number(x.toPrecision(digits))).replace("-", "\u2212");
};

// What is nothing beside the largest of its kind is 0.
export const beside = (x, largest, digits) => exact(Math.abs(x) < 1e-9 * largest ? 0 : x, digits);
export const rough = (x) => (x === 0 ? "0" : x.toExponential(0).replace("e+", "e"));
export const percent = (x) => (x < 1e-4 ? rough(x) : `${Number((100 * x).toPrecision(2))} %`);
export const count = (x) => Math.round(x).toLocaleString("en-US");

// 1, 2 or 5 times a power of ten, near x
export function nice(x) {
    const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
    return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power;
}

export const ordinal = (n) => {
    const tail = n % 100 >= 11 && n % 100 <= 13 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th";
    return `${count(n)}${tail}`;
};
