// Says that the page did not load whole: its modules, which would say it, are what may be missing. So this is a classic
// script, in words that the oldest browsers read.

(function () {
    "use strict";

    /** Whoever sees Start dead for so long, in ms, is told why. */
    var PATIENCE = 15000;

    /** Whether no browser that old reads our modules. */
    function isTooOld() { return !("noModule" in HTMLScriptElement.prototype); }

    /** Whether loading again has been tried. */
    function isReload() {
        var navigation = window.performance && performance.navigation;
        return Boolean(navigation) && navigation.type === navigation.TYPE_RELOAD;
    }

    /** Stands until the modules are there after all: `welcome()` of the page's view takes it back. */
    function tell() {
        var start = document.getElementById("start");
        if (!start || !start.disabled) return;
        document.getElementById("unloaded").hidden = false;
        document.getElementById("unloaded-newer").hidden = !isReload() && !isTooOld();
        document.getElementById("load").onclick = function () { location.reload(); };
    }

    /** Of a script that did not come, or of one that failed. */
    function hear(event) {
        if (event.target !== window && event.target.tagName !== "SCRIPT") return;
        if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", tell); else tell();
    }

    // What a missing script says rises to nobody: it is heard on its way down.
    window.addEventListener("error", hear, true);
    setTimeout(tell, PATIENCE);
    if (isTooOld()) document.addEventListener("DOMContentLoaded", tell);
}());
