/* The block of the chat, as editors see it: a name in a frame. Visitors get what PHP renders. */
(function (blocks, element, editor, texts) {
	"use strict";
	blocks.registerBlockType("auskunft/chat", {
		apiVersion: 2,
		title: texts.title,
		description: texts.description,
		icon: "format-chat",
		category: "widgets",
		supports: { html: false, multiple: false },
		edit: function () {
			var style = { border: "1px solid currentColor", borderRadius: "4px", padding: "1em" };
			return element.createElement("div", editor.useBlockProps({ style: style }), texts.missing || texts.title);
		},
		save: function () {
			return null;
		},
	});
})(window.wp.blocks, window.wp.element, window.wp.blockEditor, window.auskunftBlock);
