/* The box "Check my draft": sends the text as it stands in the editor, and shows what PHP renders. */
(function () {
	"use strict";
	function text() {
		var blocks = document.body.classList.contains("block-editor-page") && window.wp.data.select("core/editor");
		if (blocks) {
			return { title: blocks.getEditedPostAttribute("title") || "", content: blocks.getEditedPostContent() };
		}
		var visual = window.tinymce && window.tinymce.get("content");
		var title = document.getElementById("title"), field = document.getElementById("content");
		return {
			title: title ? title.value : "",
			content: visual && !visual.isHidden() ? visual.getContent() : field ? field.value : "",
		};
	}
	document.querySelectorAll("[data-auskunft-draft]").forEach(function (box) {
		var buttons = box.querySelectorAll("[data-ask]"), input = box.querySelector("input"), shown = box.querySelector("[role=status]");
		function ask(question) {
			var draft = text(), form = new FormData();
			form.append("action", "auskunft_draft");
			form.append("_ajax_nonce", box.dataset.nonce);
			form.append("post", box.dataset.post);
			form.append("title", draft.title);
			form.append("content", draft.content);
			form.append("question", question);
			buttons.forEach(function (button) { button.disabled = true; });
			shown.textContent = "…";
			fetch(box.dataset.auskunftDraft, { method: "POST", body: form, credentials: "same-origin" })
				.then(function (answer) { return answer.json(); })
				.then(function (answer) {
					if (!answer.success) { throw new Error(answer.data); }
					shown.innerHTML = answer.data;
				})
				.catch(function () { shown.textContent = box.dataset.failed; })
				.then(function () { buttons.forEach(function (button) { button.disabled = false; }); });
		}
		buttons.forEach(function (button) {
			button.addEventListener("click", function () {
				ask(button.dataset.ask ? input.value : "");
			});
		});
		input.addEventListener("keydown", function (event) {
			if (event.key === "Enter") { // which would save the page
				event.preventDefault();
				ask(input.value);
			}
		});
	});
})();
