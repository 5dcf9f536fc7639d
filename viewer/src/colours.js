// Colours that can be told apart, also by the colour-blind, on light and on dark.
const light = ["#1f6fb2", "#d1602b", "#2a8a5c", "#a34c9c", "#b58a00", "#4b4fb8", "#0f8f9c", "#c23b5e", "#6b7280", "#7a5230"];
const dark = ["#62aef2", "#f2935c", "#5cc795", "#d98bd1", "#e3bd4a", "#9a9df5", "#52ccd9", "#f27f9b", "#a6adb8", "#c79a72"];

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const colour = (i) => (isDark() ? dark : light)[i % light.length];
export const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
