// Runs before anything is drawn: the theme that the link asks for or the reader chose, so that a dark
// page never begins with a light flash. src/ui/site.rs reads the same two places.
const asked = /[?&#]theme=(auto|light|dark)\b/.exec(location.hash)?.[1];
let chosen = null;
try {
  chosen = localStorage.getItem('fenceline:theme');
} catch {
  // Refused, as in a frame of another site.
}
const theme = asked ?? chosen;
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
