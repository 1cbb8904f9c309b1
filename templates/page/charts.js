// Lays interactive charts over the still ones. Without this script, or if
// anything in it fails, or where a chart has no room, the still pictures stay.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("coldcase-charts").textContent);
  var scheme = window.matchMedia("(prefers-color-scheme: dark)");
  var small = window.matchMedia("(max-width: 680px)");
  var live = [];

  // Options hold the light colours; a dark screen swaps them one by one.
  function coloured(value) {
    if (!scheme.matches) return value;
    if (typeof value === "string") return Object.hasOwn(data.dark, value) ? data.dark[value] : value;
    if (Array.isArray(value)) return value.map(coloured);
    if (value && typeof value === "object") {
      var out = {};
      Object.keys(value).forEach(function (key) { out[key] = key === "name" || key === "text" ? value[key] : coloured(value[key]); });
      return out;
    }
    return value;
  }

  // What a narrow screen has different is laid over the option of a wide one.
  function optionOf(chart) {
    if (!small.matches) return chart.option;
    var out = Object.assign({}, chart.option, chart.narrow);
    out.series = chart.option.series.map(function (s, i) { return chart.narrow.series && chart.narrow.series[i] || s; });
    return out;
  }

  function draw(chart) {
    var box = document.querySelector('[data-chart="' + chart.id + '"]');
    if (!box || !window.echarts || small.matches && !chart.narrow) return;
    var sheet = box.querySelector(small.matches ? ".narrow svg" : ".wide svg").viewBox.baseVal;
    var style = window.getComputedStyle(box);
    if (box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) < sheet.width) return;
    var place = document.createElement("div");
    place.className = "live";
    place.style.width = sheet.width + "px";
    place.style.height = sheet.height + "px";
    box.appendChild(place);
    try {
      var drawn = window.echarts.init(place, null, { renderer: "svg", width: sheet.width, height: sheet.height });
      drawn.setOption(coloured(optionOf(chart)));
      box.classList.add("drawn");
      live.push({ drawn: drawn, box: box, place: place });
    } catch (problem) {
      place.remove();
    }
  }

  var width = 0;
  function drawAll() {
    width = document.documentElement.clientWidth;
    live.forEach(function (c) { c.drawn.dispose(); c.place.remove(); c.box.classList.remove("drawn"); });
    live = [];
    data.charts.forEach(draw);
  }

  // A chart in a closed fold has no width: it is drawn when the fold opens.
  function openFold(event) {
    data.charts.forEach(function (chart) {
      var box = document.querySelector('[data-chart="' + chart.id + '"]');
      if (box && event.target.contains(box) && !box.classList.contains("drawn")) draw(chart);
    });
  }

  drawAll();
  document.querySelectorAll("details").forEach(function (fold) { fold.addEventListener("toggle", openFold); });
  scheme.addEventListener("change", drawAll);
  window.addEventListener("resize", function () { if (document.documentElement.clientWidth !== width) drawAll(); });
})();
