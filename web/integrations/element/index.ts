// <web-model src="./yolo-pose/yolo-pose.js"> for any page: defines the element once.

import { WebModel } from "../../page/element/web-model.js";

if (!customElements.get("web-model")) customElements.define("web-model", WebModel);
