// The time that is shown: plays at `rate` (seconds of motion a second) times `speed`.
import { nice } from "./format.js";

// Real time, unless frames are so far apart that it would be a slide show: then some 25 frames a second; or it is one: 4.
const naturalRate = (gap, coarse) => (gap > 0.2 ? nice((coarse ? 4 : 25) * gap) : 1);

export class Clock {
    constructor(runs) {
        this.renew(runs);
        this.speed = 1;
        this.loop = true;
        this.playing = false;
        this.time = this.start;
        this.listeners = [];
        this.last = undefined;
        this.waits = false; // at the end, for more
        this.mode = -1; // the one that is shown again and again; -1: one after the other
    }

    renew(runs) {
        this.start = Math.min(...runs.map((run) => run.start));
        this.end = Math.max(...runs.map((run) => run.end));
        this.gap = Math.min(...runs.map((run) => (run.end - run.start) / Math.max(run.frames - 1, 1)));
        this.modes = runs.length === 1 ? runs[0].modes : undefined; // mode i from i to i + 1
        this.statics = runs.every((run) => run.statics);
        this.coarse = runs.some((run) => run.coarse);
        this.rate = naturalRate(this.gap, this.coarse);
        // steps go along the run with most frames
        this.times = runs.reduce((a, b) => (b.times.length > a.times.length ? b : a)).times;
    }

    onChange(listener) { this.listeners.push(listener); }
    tell() { for (const listener of this.listeners) listener(this); }

    set(time) {
        this.time = Math.min(Math.max(time, this.start), this.end);
        this.tell();
    }

    // shows mode i alone; -1: all of them
    choose(i) {
        this.mode = i;
        this.set(Math.max(i, 0));
        if (!this.playing) this.play(true);
    }

    play(on) {
        this.playing = on && this.end > this.start;
        if (this.playing && this.time >= this.end) this.time = this.start;
        this.last = undefined;
        this.tell();
    }

    step(frames) {
        this.playing = false;
        const T = this.times, slack = 1e-9 * (this.end - this.start);
        let k = 0;
        while (k < T.length - 1 && T[k + 1] <= this.time + slack) k++;
        if (frames < 0 && T[k] < this.time - slack) k++;
        this.set(T[Math.min(Math.max(k + frames, 0), T.length - 1)]);
    }

    tick(now) {
        if (!this.playing) return;
        const passed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.25);
        this.last = now;
        let time = this.time + passed * this.rate * this.speed;
        if (this.mode >= 0 && (time >= this.mode + 1 || time < this.mode)) time = this.mode + (((time - this.mode) % 1) + 1) % 1;
        if (time >= this.end) {
            if (this.waits) time = this.end;
            else if (this.loop) time = this.start;
            else { time = this.end; this.playing = false; }
        }
        this.set(time);
    }
}
