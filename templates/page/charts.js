// Lays interactive charts over the still ones. Without this script, or if
// anything in it fails, the still pictures stay.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("coldcase-charts").textContent);
  var scheme = window.matchMedia("(prefers-color-scheme: dark)");
  var charts = [];

  // Options hold the light colours; a dark screen swaps them one by one.
  function coloured(value) {
    if (!scheme.matches) return value;
    if (typeof value === "string") return Object.hasOwn(data.dark, value) ? data.dark[value] : value;
    if (Array.isArray(value)) return value.map(coloured);
    if (value && typeof value === "object") {
      var out = {};
      Object.keys(value).forEach(function (key) { out[key] = key === "name" ? value[key] : coloured(value[key]); });
      return out;
    }
    return value;
  }

  data.charts.forEach(function (chart) {
    var box = document.querySelector('[data-chart="' + chart.id + '"]');
    if (!box || !window.echarts) return;
    var still = box.querySelector(".still");
    var live = document.createElement("div");
    live.className = "live";
    live.style.height = still.querySelector("svg").viewBox.baseVal.height + "px";
    box.appendChild(live);
    try {
      var drawn = window.echarts.init(live, null, { renderer: "svg" });
      drawn.setOption(coloured(chart.option));
      still.hidden = true;
      charts.push({ drawn: drawn, option: chart.option });
    } catch (problem) {
      live.remove();
    }
  });

  scheme.addEventListener("change", function () { charts.forEach(function (c) { c.drawn.setOption(coloured(c.option), true); }); });
})();
