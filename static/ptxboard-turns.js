// Arrow keys go from turn to turn of a trajectory. Where something scrolls or is written, they do what they always do.
(() => {
  "use strict";
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  const keepsArrows = "input, select, textarea, pre, .wide, [contenteditable]";
  const turns = [...document.querySelectorAll("article.turn")];
  if (turns.length < 2) return;

  // The last turn that begins in the upper half of the window, or above it, is the one that is read.
  const isReached = (turn) => turn.getBoundingClientRect().top < window.innerHeight / 2;

  document.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const isMeantElsewhere = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!step || isMeantElsewhere || event.target.closest(keepsArrows)) return;
    const focused = turns.indexOf(document.activeElement);
    const place = focused >= 0 ? focused : turns.filter(isReached).length - 1;
    const turn = turns[place + step];
    if (!turn) return;
    event.preventDefault();
    history.replaceState(null, "", `#${turn.id}`);
    turn.focus({ preventScroll: true });
    turn.scrollIntoView();
  });
})();
