// Adds up what a first visit loads: index.html and every file it names. Fails above the budget.
import { readFileSync, existsSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const BUDGET = 250_000; // bytes, brotli

const html = readFileSync('dist/index.html', 'utf8');
// What waits in the head for the whole program is not part of a first visit.
const first = html.replace(/<link[^>]*\brel=["']?later\b[^>]*>/g, '');
const named = [...first.matchAll(/\b(?:href|src|data-js|data-wasm)=["']?([^"'\s>]+)/g)]
  .map(([, url]) => url.replace(/^\.\//, '').replace(/[?#].*/, ''))
  .filter((path) => path && !path.includes(':') && existsSync(`dist/${path}`));
const files = ['index.html', ...new Set(named)];
for (const kind of ['.css', '.js', '_bg.wasm']) {
  if (!files.some((file) => file.endsWith(kind))) throw `dist/index.html names no ${kind} file`;
}

const row = (raw, small, name) =>
  console.log(`${raw.toLocaleString('en').padStart(11)}${small.toLocaleString('en').padStart(11)}  ${name}`);
console.log('        raw     brotli');
let [raw, small] = [0, 0];
for (const file of files) {
  const bytes = readFileSync(`dist/${file}`);
  const packed = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
  row(bytes.length, packed.length, file);
  raw += bytes.length;
  small += packed.length;
}
row(raw, small, 'first load');
// Fetched when the start page is at rest, or by a visit that goes elsewhere; not part of the budget.
const later = ['data-app-js', 'data-app-wasm'].map((name) => html.match(new RegExp(`${name}=["']?([^"'\\s>]+)`))[1]);
for (const file of later) {
  const bytes = readFileSync(`dist/${file}`);
  row(bytes.length, brotliCompressSync(bytes).length, `${file} (later)`);
}
if (small > BUDGET) {
  console.error(`The first load is ${small - BUDGET} bytes above its budget of ${BUDGET} bytes brotli.`);
  process.exit(1);
}
console.log(`${BUDGET - small} bytes of ${BUDGET} are left.`);
