// The motion as a file: pictures of the page's own canvas at times that are equally far apart, in PNG, GIF or video.
import { Gif, Palette } from "./gif.js";
import { mp4 } from "./mp4.js";
import { paint, scaleOf } from "./paint.js";

const SAMPLES = 12, MOST = 3600, BITS = 0.12; // pictures that a palette is chosen for; pictures of a film; bits of a pixel
export const USUAL = { mp4: 30, webm: 30, gif: 20 }; // pictures a second
const CODECS = ["avc1.640028", "avc1.640034", "avc1.42e034"]; // H.264, as large as need be

// Lets the page answer; unlike a timer it is not slowed down where the page is not in sight.
const pause = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); resolve(); };
    port2.postMessage(0);
});

// Times of the pictures: as fast as the page plays, or `count` of them from start to end.
export function timesOf(clock, fps, count) {
    const lasts = clock.end - clock.start, usual = Math.floor(lasts / ((clock.rate * clock.speed) / fps) + 1e-9) + 1;
    const n = Math.max(1, Math.min(count ?? usual, MOST)), gap = count || usual > MOST ? lasts / Math.max(n - 1, 1) : (clock.rate * clock.speed) / fps;
    return Array.from({ length: n }, (_, i) => clock.start + i * gap);
}

export async function chooseCodec(width, height, fps) {
    if (typeof VideoEncoder === "undefined") return null;
    for (const codec of CODECS) {
        const config = { codec, width, height, framerate: fps, bitrate: Math.round(Math.max(BITS * width * height * fps, 5e5)), avc: { format: "avc" } };
        if ((await VideoEncoder.isConfigSupported(config).catch(() => ({}))).supported) return config;
    }
    return null;
}

async function toMp4(config, canvas, times, show) {
    const { width, height, framerate: fps } = config, samples = [];
    let description, space, failed = null;
    const encoder = new VideoEncoder({
        output(chunk, about) {
            const data = new Uint8Array(chunk.byteLength);
            chunk.copyTo(data);
            samples.push({ data, key: chunk.type === "key" });
            if (!about?.decoderConfig?.description) return;
            description = new Uint8Array(about.decoderConfig.description);
            space = about.decoderConfig.colorSpace;
        },
        error(error) { failed = error; },
    });
    encoder.configure(config);
    for (let i = 0; i < times.length && !failed; i++) {
        await show(i);
        const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * i) / fps), duration: Math.round(1e6 / fps) });
        encoder.encode(frame, { keyFrame: i % 60 === 0 });
        frame.close();
        while (encoder.encodeQueueSize > 4 && !failed) await pause();
    }
    if (!failed) await encoder.flush();
    if (failed) throw failed;
    encoder.close();
    return new Blob([mp4({ width, height, fps, description, space }, samples)], { type: "video/mp4" });
}

async function toGif(canvas, fps, times, show) {
    const { width, height } = canvas, context = canvas.getContext("2d"), palette = new Palette();
    const read = () => context.getImageData(0, 0, width, height).data;
    for (let k = 0; k < SAMPLES; k++) {
        await show(Math.round((k * (times.length - 1)) / (SAMPLES - 1)), false);
        palette.count(read());
    }
    palette.choose();
    const gif = new Gif(width, height, palette), at = (i) => Math.round((100 * i) / fps);
    for (let i = 0; i < times.length; i++) {
        await show(i);
        gif.add(read(), at(i + 1) - at(i));
    }
    return new Blob([gif.finish()], { type: "image/gif" });
}

// In real time, by what the browser records with: where it has no encoder for single pictures.
async function toRecording(type, canvas, fps, times, show) {
    const parts = [], stream = canvas.captureStream(fps), recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BITS * canvas.width * canvas.height * fps });
    const ended = new Promise((resolve, reject) => { recorder.onstop = resolve; recorder.onerror = (event) => reject(event.error); });
    recorder.ondataavailable = ({ data }) => parts.push(data);
    await show(0);
    recorder.start();
    try {
        const began = performance.now();
        for (let i = 0; i < times.length; i++) {
            await show(i);
            await new Promise((resolve) => setTimeout(resolve, began + (1000 * (i + 1)) / fps - performance.now()));
        }
    } finally {
        recorder.stop();
        await ended;
        for (const track of stream.getTracks()) track.stop();
    }
    return new Blob(parts, { type });
}

export const recordable = () => (typeof MediaRecorder === "undefined" ? undefined :
    ["video/mp4;codecs=avc1.42e034", "video/mp4", "video/webm;codecs=vp9", "video/webm"].find((type) => MediaRecorder.isTypeSupported(type)));

export const NO_VIDEO = "This browser cannot encode video: save a GIF, or open the page in another browser.";

// What `view` shows ({ frame: the element, source(): the canvas, freshly drawn }), as a Blob. `told(done, of)` after each picture; it stops the
// film by returning false. A video has an even number of pixels, as H.264 needs them.
export async function film(format, clock, view, { fps = USUAL[format], frames, time } = {}, told = () => true) {
    const canvas = document.createElement("canvas"), scale = scaleOf(view.source()), even = (x) => (format === "mp4" ? Math.max(2, x - (x % 2)) : x);
    canvas.width = even(Math.round(view.frame.clientWidth * scale));
    canvas.height = even(Math.round(view.frame.clientHeight * scale));
    const context = canvas.getContext("2d", { willReadFrequently: format === "gif" }), before = clock.time, playing = clock.playing;
    const times = format === "png" ? [time ?? before] : timesOf(clock, fps, frames);
    const show = async (i, counts = true) => {
        clock.play(false);
        clock.set(times[i]);
        paint(context, view.source(), view.frame);
        await pause();
        if (counts && told(i + 1, times.length) === false) throw new Error("stopped");
    };
    try {
        if (format === "png") {
            await show(0);
            return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
        }
        if (format === "gif") return await toGif(canvas, fps, times, show);
        const config = format === "mp4" && (await chooseCodec(canvas.width, canvas.height, fps)), type = recordable();
        if (config) return await toMp4(config, canvas, times, show);
        if (!type) throw new Error(NO_VIDEO);
        return await toRecording(type, canvas, fps, times, show);
    } finally {
        clock.set(before);
        clock.play(playing);
    }
}
