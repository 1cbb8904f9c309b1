// Checks the reader's own count, inside the page. The form works without it:
// the answer stands in the fold below.
(function () {
  "use strict";
  document.querySelectorAll(".countit").forEach(function (box) {
    var input = box.querySelector("input");
    var button = box.querySelector("button");
    var output = box.querySelector("output");
    var ends = box.dataset.answer.split("-");
    var low = Number(ends[0]);
    var high = ends[1] === "" ? Infinity : Number(ends[1]);
    button.hidden = false;
    function check() {
      if (input.value === "") { output.textContent = "Enter your count first."; return; }
      var n = Number(input.value);
      if (n >= low && n <= high) output.textContent = "✓ That is what these lines prove.";
      else if (n < low) output.textContent = "Too few. Look at each line: how many new tokens did each sequence need?";
      else output.textContent = "Too many. A sequence that computed its whole prompt was no hit.";
    }
    button.addEventListener("click", check);
    input.addEventListener("keydown", function (event) { if (event.key === "Enter") check(); });
  });
})();
