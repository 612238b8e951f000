// Says that the page did not load whole: its modules, which would say it, are what may be missing, and its reader's language
// with them. So this is a classic script with words of its own, written as the oldest browsers read it.

(function () {
    "use strict";

    /** Whoever sees Start dead for so long, in ms, is told why. */
    var PATIENCE = 15000;

    /** By language: what is wrong, what helps where loading again did not, and what the button says. */
    var WORDS = {
        en: {
            text: "This page did not load whole.",
            newer: "If it never does, come closer to the Wi-Fi, or try a newer browser.",
            load: "Load again",
        },
        de: {
            text: "Diese Seite wurde nicht vollständig geladen.",
            newer: "Gelingt es auch weiterhin nicht, geh näher ans WLAN oder nimm einen neueren Browser.",
            load: "Neu laden",
        },
        fr: {
            text: "Cette page ne s’est pas chargée entièrement.",
            newer: "Si cela ne change pas, rapproche-toi du Wi-Fi ou essaie un navigateur plus récent.",
            load: "Recharger",
        },
        es: {
            text: "Esta página no se ha cargado del todo.",
            newer: "Si sigue sin cargarse, acércate al wifi o prueba con un navegador más reciente.",
            load: "Cargar de nuevo",
        },
        pt: {
            text: "Esta página não carregou por completo.",
            newer: "Se continuar assim, chegue mais perto do Wi-Fi ou tente um navegador mais novo.",
            load: "Carregar de novo",
        },
        ja: {
            text: "ページをすべて読み込めませんでした。",
            newer: "何度試しても読み込めないときは、Wi-Fiに近づくか、新しいブラウザーを使ってください。",
            load: "読み込み直す",
        },
        ar: {
            text: "لم تُحمَّل هذه الصفحة كاملة.",
            newer: "إن تكرر ذلك فاقترب من شبكة Wi-Fi أو جرّب متصفحًا أحدث.",
            load: "أعد التحميل",
        },
    };

    /** The first of the reader's languages that there are words in. */
    function language() {
        var wanted = navigator.languages || [navigator.language || ""];
        for (var place = 0; place < wanted.length; place += 1) {
            var own = wanted[place].split("-")[0].toLowerCase();
            if (Object.prototype.hasOwnProperty.call(WORDS, own)) return own;
        }
        return "en";
    }

    /** Whether no browser that old reads our modules. */
    function isTooOld() { return !("noModule" in HTMLScriptElement.prototype); }

    /** Whether loading again has been tried. */
    function isReload() {
        var navigation = window.performance && performance.navigation;
        return Boolean(navigation) && navigation.type === navigation.TYPE_RELOAD;
    }

    /** Stands until the modules are there after all: `welcome()` of the page's view takes it back. */
    function tell() {
        var start = document.getElementById("start"), box = document.getElementById("unloaded");
        if (!start || !start.disabled || !box.hidden) return;
        var own = language();
        var parts = { text: "unloaded-text", newer: "unloaded-newer", load: "load" };
        for (var part in parts) document.getElementById(parts[part]).textContent = WORDS[own][part];
        document.getElementById("unloaded-newer").hidden = !isReload() && !isTooOld();
        document.getElementById("load").onclick = function () { location.reload(); };
        box.lang = own;
        box.dir = own === "ar" ? "rtl" : "ltr";
        box.hidden = false;
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
