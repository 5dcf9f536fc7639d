// For 'lilyan film', which asks from outside (cli/browser.c): a film is begun, asked about, and handed over as base64 in parts.
import { film } from "./film.js";

const frames = (n) => new Promise((resolve) => requestAnimationFrame(() => (n > 1 ? resolve(frames(n - 1)) : resolve())));

const inBase64 = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
});

export function makeRemote(clock, view) {
    let state = "0 0", text = "";
    const make = async (format, options) => {
        if (!view) throw new Error("there is nothing to film: no body, particle or strand, no 'draw' and no phase portrait");
        document.documentElement.dataset.film = ""; // the motion fills the window
        await frames(3);
        const blob = await film(format, clock, view, options, (done, of) => { state = `${done} ${of}`; return true; });
        if (!blob.type.includes(format)) throw new Error("this browser has no encoder for MP4: write a .gif");
        text = await inBase64(blob);
        state = `done ${text.length}`;
    };
    return {
        begin(format, options) { make(format, options).catch((error) => { state = `failed ${error.message}`; }); },
        state: () => state, // "DONE OF" pictures, "done LENGTH", "failed WHY"
        part: (from, to) => text.slice(from, to),
    };
}
