// MP4 (ISO 14496-12 and 14496-15): one track of H.264. What describes it comes before the pictures, so that a player can begin at once.

const text = (s) => Uint8Array.from(s, (c) => c.charCodeAt(0));
const u16 = (...x) => Uint8Array.from(x.flatMap((y) => [y >> 8, y & 255]));
const u32 = (...x) => Uint8Array.from(x.flatMap((y) => [y >>> 24, (y >>> 16) & 255, (y >>> 8) & 255, y & 255]));
const zeros = (n) => new Uint8Array(n);

function joined(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { all.set(part, at); at += part.length; }
    return all;
}

const box = (name, ...parts) => {
    const inside = joined(parts);
    return joined([u32(8 + inside.length), text(name), inside]);
};

const UNITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000); // the picture as it is
const SCALE = 90000; // ticks a second

// Numbers of ISO 23091-2 for what the encoder says of its colours; without them players guess.
const PRIMARIES = { bt709: 1, bt470bg: 5, smpte170m: 6 }, TRANSFERS = { bt709: 1, smpte170m: 6, "iec61966-2-1": 13 }, MATRICES = { rgb: 0, bt709: 1, bt470bg: 5, smpte170m: 6 };

function colours(space) {
    const [p, t, m] = [PRIMARIES[space?.primaries], TRANSFERS[space?.transfer], MATRICES[space?.matrix]];
    return p === undefined || t === undefined || m === undefined ? zeros(0) : box("colr", text("nclx"), u16(p, t, m), Uint8Array.of(space.fullRange ? 0x80 : 0));
}

function entry({ width, height, description, space }) {
    return box("avc1", zeros(6), u16(1), zeros(16), u16(width, height), u32(0x480000, 0x480000, 0), u16(1), zeros(32), u16(24, 0xffff), box("avcC", description), colours(space));
}

// samples: { data, key }, all shown equally long. `offset`: of the first in the file.
function tables(about, samples, offset) {
    const keys = samples.flatMap(({ key }, i) => (key ? [i + 1] : []));
    return box("stbl", box("stsd", u32(0, 1), entry(about)), box("stts", u32(0, 1, samples.length, about.ticks)), box("stss", u32(0, keys.length, ...keys)),
               box("stsc", u32(0, 1, 1, samples.length, 1)), box("stsz", u32(0, 0, samples.length), u32(...samples.map(({ data }) => data.length))), box("stco", u32(0, 1, offset)));
}

function movie(about, samples, offset) {
    const { width, height, ticks } = about, lasts = ticks * samples.length;
    const media = box("minf", box("vmhd", u32(1, 0, 0)), box("dinf", box("dref", u32(0, 1), box("url ", u32(1)))), tables(about, samples, offset));
    return box("moov",
        box("mvhd", u32(0, 0, 0, SCALE, lasts, 0x10000), u16(0x100), zeros(10), UNITY, zeros(24), u32(2)),
        box("trak", box("tkhd", u32(3, 0, 0, 1, 0, lasts), zeros(16), UNITY, u32(width << 16, height << 16)),
            box("mdia", box("mdhd", u32(0, 0, 0, SCALE, lasts), u16(0x55c4, 0)), box("hdlr", u32(0, 0), text("vide"), zeros(12), text("film\0")), media)));
}

export function mp4({ width, height, fps, description, space }, samples) {
    const about = { width, height, description, space, ticks: Math.round(SCALE / fps) };
    const type = box("ftyp", text("isom"), u32(0x200), text("isomiso2avc1mp41")), length = type.length + movie(about, samples, 0).length;
    return joined([type, movie(about, samples, length + 8), box("mdat", ...samples.map(({ data }) => data))]);
}
