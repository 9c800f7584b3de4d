// The helpers of all scripts.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (type, act, capture) => document.addEventListener(type, act, capture);
