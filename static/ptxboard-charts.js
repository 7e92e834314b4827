// Draws each figure that a page carries as JSON once it comes near the window. The library is fetched then, not before.
(() => {
  "use strict";
  const library = document.currentScript.dataset.plotly;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const options = { displayModeBar: false, displaylogo: false, responsive: true, scrollZoom: false, doubleClick: false };
  let loading = null;

  const load = () => {
    loading ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = library;
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    return loading;
  };

  // Colours are names of CSS properties; only values of keys that end in "color" are looked up.
  const coloured = (value, key, style) => {
    if (typeof value === "string") {
      return value.startsWith("--") && key.endsWith("color") ? style.getPropertyValue(value).trim() : value;
    }
    if (Array.isArray(value)) return value.map((one) => coloured(one, key, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, coloured(one, name, style)]));
  };

  const draw = async (box) => {
    const figure = JSON.parse(document.getElementById(box.dataset.figure).textContent);
    await load();
    const { data, layout } = coloured(figure, "", getComputedStyle(document.documentElement));
    // On a narrow window the names of series get the room below the picture.
    if (box.clientWidth < 500) {
      layout.margin = { ...layout.margin, l: 40, r: 8 };
      layout.legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom" };
      layout.font = { ...layout.font, size: 11 };
    }
    if (!box.drawn) box.replaceChildren();
    await window.Plotly.react(box, data, layout, options);
    if (!box.drawn) follow(box);
    box.drawn = true;
  };

  // A point leads to its evidence, to pages of this site alone.
  const follow = (box) => {
    const address = (event) => {
      const point = event.points[0];
      const found = point?.customdata ?? point?.data.meta?.address;
      return typeof found === "string" && /^\/(?!\/)/.test(found) ? found : "";
    };
    box.on("plotly_click", (event) => {
      if (address(event)) window.location.assign(address(event));
    });
    box.on("plotly_hover", (event) => box.classList.toggle("pointed", Boolean(address(event))));
    box.on("plotly_unhover", () => box.classList.remove("pointed"));
  };

  const boxes = [...document.querySelectorAll(".plot")];
  const near = new IntersectionObserver((seen) => {
    for (const one of seen.filter((entry) => entry.isIntersecting)) {
      near.unobserve(one.target);
      draw(one.target).catch(() => {
        one.target.textContent = "The picture could not be drawn. The table below has the same numbers.";
      });
    }
  }, { rootMargin: "300px" });
  for (const box of boxes) near.observe(box);
  dark.addEventListener("change", () => boxes.filter((box) => box.drawn).forEach(draw));
})();
