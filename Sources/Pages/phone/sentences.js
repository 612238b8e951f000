// Every language of this page. All are loaded, some kilobytes each: one that came later would leave Start dead until then.

import { learn } from "/common/language.js";
import de from "./language/de.js";
import en from "./language/en.js";

learn({ en, de });
