// Starts the page's wasm, in the page and in a Web Worker alike. In the page Trunk writes
// the hashed names on the script tag; a worker is started as
// new Worker('./boot.js?js=NAME&wasm=NAME', { type: 'module' }).
const page = typeof document === 'object';
const root = page ? document.documentElement : null;
const names = page
  ? document.querySelector('script[data-wasm]').dataset
  : Object.fromEntries(new URL(import.meta.url).searchParams);
const at = (name) => new URL('./' + name, import.meta.url).href;

const say = (text) => {
  const line = page && (document.getElementById('boot') ?? document.querySelector('.fetching'));
  if (line) line.textContent = text;
};
const later = (ms, text) => page && setTimeout(() => root.dataset.state === 'loading' && say(text), ms);

// After a panic nothing of the wasm can be relied on, so the screen that says so is drawn here.
// The panic hook in src/ui sends the event.
if (page) {
  addEventListener('fenceline-panic', ({ detail }) => {
    if (root.dataset.state === 'panicked') return;
    root.dataset.state = 'panicked';
    document.body.replaceChildren(document.getElementById('panic-screen').content.cloneNode(true));
    const report = `${detail}\n\nat ${location.href}\nin ${navigator.userAgent}`;
    const shown = document.getElementById('panic-report');
    const copy = document.getElementById('panic-copy');
    shown.textContent = report;
    copy.onclick = async () => {
      try {
        await navigator.clipboard.writeText(report);
        copy.textContent = 'Copied';
      } catch {
        // The clipboard may be refused, in a frame for example: select the text instead.
        getSelection().selectAllChildren(shown);
        copy.textContent = 'Selected: copy it from here';
      }
    };
    document.getElementById('panic-reload').onclick = () => location.reload();
  });
}

// A first visit loads the small program that holds the start page alone; any other page is in the
// whole one, which a visitor of the start page is given beforehand, when nothing else is going on.
const isStart = (hash) => /^#?\/?(\?.*)?$/.test(hash);
const start = async (js, wasm) => {
  const { default: init } = await import(at(js));
  await init({ module_or_path: at(wasm) });
};
const app = page ? [names.appJs, names.appWasm] : [names.js, names.wasm];
// Style sheets that only the whole program needs wait for it in the head.
const sheets = () => [...document.querySelectorAll('link[rel=later]')];
const dressed = (link) =>
  new Promise((done) => {
    link.onload = link.onerror = done;
    link.rel = 'stylesheet';
  });
const startApp = async () => {
  if (page) await Promise.all(sheets().map(dressed));
  await start(...app);
};
const prefetch = () => {
  for (const href of [...app.map(at), ...sheets().map((link) => link.href)]) {
    const link = document.createElement('link');
    link.rel = 'prefetch';
    link.href = href;
    document.head.append(link);
  }
};

later(500, 'Starting the engine.');
later(8000, 'Still starting the engine. On a slow connection this can take a minute; if nothing happens, reload the page.');
try {
  if (page && isStart(location.hash)) {
    const rest = setTimeout(prefetch, 12000);
    addEventListener('fenceline-wanted', () => {
      clearTimeout(rest);
      root.dataset.state = 'loading';
      startApp().catch(failed);
    }, { once: true });
    await start(names.js, names.wasm);
  } else {
    await startApp();
  }
} catch (error) {
  failed(error);
  throw error;
}

function failed(error) {
  // A panic while starting has its own screen already.
  if (page && root.dataset.state === 'loading') {
    root.dataset.state = 'failed';
    say(
      typeof WebAssembly === 'object'
        ? `The engine did not start: ${error}. Reload the page to try again.`
        : 'The engine did not start: this browser has WebAssembly switched off.',
    );
  }
}
