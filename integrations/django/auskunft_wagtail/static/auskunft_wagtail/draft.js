/* "Check my draft": sends the form as it stands in the editor, and shows the answer in a box beside the text. */
(function () {
	"use strict";
	var box;

	function ask(url, question) {
		var form = new FormData(document.querySelector("form[data-edit-form]")), shown = box.querySelector("[role=status]");
		form.append("auskunft_question", question);
		shown.textContent = "…";
		fetch(url, { method: "POST", body: form, credentials: "same-origin" })
			.then(function (answer) {
				if (!answer.ok || answer.redirected) { throw new Error(answer.status); } // to the log-in
				return answer.text();
			})
			.then(function (html) { shown.innerHTML = html; })
			.catch(function () { shown.textContent = shown.dataset.failed; });
	}

	function open(button) {
		var url = button.dataset.auskunftDraft;
		if (!box) {
			box = document.createElement("dialog");
			box.append(button.parentElement.querySelector("[data-auskunft-box]").content.cloneNode(true));
			box.style.cssText = "position:fixed;inset:4em 1em 5em auto;width:24em;max-width:90vw;height:auto;overflow:auto;margin:0;padding:1em;border:1px solid;border-radius:.5em;z-index:100;background:var(--w-color-surface-page,Canvas);color:var(--w-color-text-context,CanvasText)";
			document.body.append(box);
			var input = box.querySelector("input");
			box.querySelector("[data-ask]").addEventListener("click", function () { ask(url, input.value); });
			box.querySelector("[data-close]").addEventListener("click", function () { box.close(); });
			input.addEventListener("keydown", function (event) {
				if (event.key === "Enter") { ask(url, input.value); }
			});
		}
		box.show();
		ask(url, "");
	}

	document.addEventListener("click", function (event) {
		var button = event.target.closest("[data-auskunft-draft]");
		if (button) { open(button); }
	});
})();
