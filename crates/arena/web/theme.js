/* Light or dark theme. It is not a module, so that it runs before the first paint and the page does not flash. */
(function () {
  "use strict";
  var KEY = "ludorum.theme";
  var root = document.documentElement;

  function remembered() {
    try {
      var value = localStorage.getItem(KEY);
      return value === "light" || value === "dark" ? value : null;
    } catch (_) {
      return null; // storage may be forbidden; the system's choice holds then
    }
  }

  function apply(choice) {
    if (choice) root.setAttribute("data-theme", choice);
    else root.removeAttribute("data-theme");
  }

  apply(remembered());

  window.ludorumTheme = {
    /** "light", "dark", or null where the system decides. */
    choice: remembered,
    choose: function (choice) {
      try {
        if (choice) localStorage.setItem(KEY, choice);
        else localStorage.removeItem(KEY);
      } catch (_) {
        /* not remembered, but applied */
      }
      apply(choice);
    },
  };
})();
