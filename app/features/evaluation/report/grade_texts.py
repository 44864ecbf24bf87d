"""Texts of the pages about graded answers and compared configurations, in German and English."""

from typing import Final

GRADES: Final = {
    "de": {
        "title": "Wie gut sind die geschriebenen Antworten?",
        "verdict": "Das Ergebnis",
        "graded": "{judge} hat {graded} von {sheets} Antworten bewertet.",
        "ungraded": "Ohne brauchbare Bewertung: {count}. Sie zählen in keinem Mittel.",
        "reason": "{number} ohne Bewertung: {reason}",
        "criteria": "Im Mittel bekommen sie {value} von {high} Punkten (95-%-Intervall {interval}).",
        "rtr": "Ohne Widerspruch zur Musterantwort (Noten 1 und 2): {share} ({agreeing} von {graded}). "
        "Möglicher Widerspruch (Note 3): {possible}. Widerspruch (Note 4): {contradicting}.",
        "style_share": "Guter Stil (sachlich, juristisch klar): {share} ({good} von {graded}).",
        "metrics": "Ihre Richtigkeit ist im Mittel {value} von 1 (95-%-Intervall {interval}).",
        "best": "Am besten antwortet {model} mit {mean}, dann {second} mit {other}, über {questions} Fragen, "
        "die für alle bewertet sind.",
        "tie": "Gleichauf mit {mean}: {models}, über {questions} Fragen, die für alle bewertet sind.",
        "then": "Dann folgt {second} mit {other}.",
        "and": "und",
        "changed": "Der Bewerter nannte sich verschieden ({names}): Noten verschiedener Modelle sind nicht "
        "vergleichbar.",
        "warnings": "Was zu beachten ist",
        "models": "Nach antwortendem Modell",
        "kinds": "Nach Art der Frage",
        "plot": "Die Striche zeigen von der niedrigsten bis zur höchsten Punktzahl, in welchem Bereich das "
        "Mittel mit 95 % Sicherheit liegt, der Punkt seinen Wert.",
        "plot_rtr": "Die Striche zeigen von Note 1 (kein rechtlicher Unterschied) bis 4 (Widerspruch), in "
        "welchem Bereich das Mittel mit 95 % Sicherheit liegt, der Punkt seinen Wert.",
        "figure": "Kennzahl",
        "no_model": "ohne Modell",
        "answers": "bewertete Antworten",
        "figures": {
            "composite": "Gesamtpunktzahl",
            "correctness": "Richtigkeit",
            "completeness": "Vollständigkeit",
            "readability": "Lesbarkeit",
            "grade": "Note",
            "style": "Stil",
            "context_precision": "Genauigkeit des Kontexts",
            "context_recall": "Vollständigkeit des Kontexts",
            "context_relevancy": "Bezug des Kontexts zur Frage",
            "faithfulness": "Treue zu den Quellen",
            "answer_relevancy": "Bezug der Antwort zur Frage",
            "answer_correctness": "Richtigkeit der Antwort",
        },
        "counts": {
            "grade_1": "Note 1: kein rechtlicher Unterschied",
            "grade_2": "Note 2: eine behandelt mehr Gesichtspunkte",
            "grade_3": "Note 3: möglicher Widerspruch",
            "grade_4": "Note 4: Widerspruch",
            "style_good": "Stil gut",
            "style_bad": "Stil schlecht",
        },
        "styles": {"good": "gut", "bad": "schlecht"},
        "summary": "Unterschiede",
        "worst": "Die schlechtesten Antworten",
        "model": "Modell",
        "reference": "Musterantwort",
        "answer": "Antwort",
        "no_answer": "keine",
        "context": "Was das Modell gelesen hat",
        "sources": "Quellen",
        "cited": "zitiert",
        "measured": "Wie gemessen wurde",
        "explained": "Jede Antwort wurde für sich bewertet, mit einer Begründung vor jeder Punktzahl. Das "
        "Intervall sagt, wie sehr ein Mittel von den Fragen abhängt, die zufällig dabei sind (Bootstrap, "
        "10.000 Ziehungen). Ein Modell ist kein Mensch: Wie gut es mit Menschen übereinstimmt, zeigt "
        "auskunft labels agreement.",
        "judge": "Bewerter",
        "sheets": "Antworten",
        "scale": "Skala",
        "recipe": "Fassung von Anweisung und Maßstab",
        "tokens": "Token",
        "read_and_written": "{prompt} gelesen, {output} geschrieben",
        "made": "Erstellt von Auskunft {version}",
        "to": "bis",
    },
    "en": {
        "title": "How good are the written answers?",
        "verdict": "The result",
        "graded": "{judge} graded {graded} of {sheets} answers.",
        "ungraded": "Without a usable grade: {count}. They count in no mean.",
        "reason": "{number} ungraded: {reason}",
        "criteria": "Their mean is {value} of {high} points (95 % interval {interval}).",
        "rtr": "Without a contradiction to the reference answer (grades 1 and 2): {share} ({agreeing} of "
        "{graded}). A possible contradiction (grade 3): {possible}. A contradiction (grade 4): "
        "{contradicting}.",
        "style_share": "Good style (professional, legally clear): {share} ({good} of {graded}).",
        "metrics": "Their mean correctness is {value} of 1 (95 % interval {interval}).",
        "best": "{model} answers best, with {mean}, before {second} with {other}, over {questions} questions "
        "that were graded for all.",
        "tie": "A tie with {mean}: {models}, over {questions} questions that were graded for all.",
        "then": "{second} follows with {other}.",
        "and": "and",
        "changed": "The judge called itself by several names ({names}): grades of different models do not "
        "compare.",
        "warnings": "What to bear in mind",
        "models": "By answering model",
        "kinds": "By kind of question",
        "plot": "The lines show, from the lowest score to the highest, the range in which the mean is with "
        "95 % confidence, the dot its value.",
        "plot_rtr": "The lines show, from grade 1 (no legal difference) to 4 (contradiction), the range in "
        "which the mean is with 95 % confidence, the dot its value.",
        "figure": "Figure",
        "no_model": "no model",
        "answers": "answers graded",
        "figures": {
            "composite": "Composite score",
            "correctness": "Correctness",
            "completeness": "Completeness",
            "readability": "Readability",
            "grade": "Grade",
            "style": "Style",
            "context_precision": "Context precision",
            "context_recall": "Context recall",
            "context_relevancy": "Context relevancy",
            "faithfulness": "Faithfulness",
            "answer_relevancy": "Answer relevancy",
            "answer_correctness": "Answer correctness",
        },
        "counts": {
            "grade_1": "Grade 1: no legal difference",
            "grade_2": "Grade 2: one treats more aspects",
            "grade_3": "Grade 3: a possible contradiction",
            "grade_4": "Grade 4: a contradiction",
            "style_good": "Style good",
            "style_bad": "Style bad",
        },
        "styles": {"good": "good", "bad": "bad"},
        "summary": "Differences",
        "worst": "The worst answers",
        "model": "Model",
        "reference": "Expected answer",
        "answer": "Answer",
        "no_answer": "none",
        "context": "What the model read",
        "sources": "Sources",
        "cited": "cited",
        "measured": "How it was measured",
        "explained": "Each answer was graded alone, with reasons before each score. The interval says how "
        "much a mean owes to the questions that happen to be there (bootstrap, 10,000 resamples). A model is "
        "no person: how well it agrees with people is shown by auskunft labels agreement.",
        "judge": "Judge",
        "sheets": "Answers",
        "scale": "Scale",
        "recipe": "Version of prompt and rubric",
        "tokens": "Tokens",
        "read_and_written": "{prompt} read, {output} written",
        "made": "Made by Auskunft {version}",
        "to": "to",
    },
}

CONFIGURATIONS: Final = {
    "de": {
        "title": "Welche Einstellungen geben die besten Antworten?",
        "compared": "{configurations} Einstellungen haben dieselben {questions} Fragen beantwortet.",
        "better": "{second} ist besser als {first}: {figure} {after} statt {before} (p {p}).",
        "worse": "{second} ist schlechter als {first}: {figure} {after} statt {before} (p {p}).",
        "equal": "Zwischen {second} und {first} ist kein Unterschied gemessen, der nicht Zufall sein kann: "
        "{figure} {after} und {before} (p {p}).",
        "unmeasured": "{second} und {first} haben keine Kennzahl gemeinsam, die entscheidet.",
        "table": "Kennzahlen im Vergleich",
        "table_note": "In Klammern das 95-%-Intervall. Verglichen wird mit der ersten Spalte: Bei p bis 0,05 "
        "steht, was besser ist; unter vielen Kennzahlen kann auch das Zufall sein.",
        "plot_all": "Die Kennzahlen gezeichnet",
        "plot_note": "Von {low} bis {high}: Der Strich zeigt, in welchem Bereich das Mittel mit 95 % "
        "Sicherheit liegt, der Punkt seinen Wert.",
        "configuration": "Einstellung",
        "value": "Wert",
        "questions": "Fragen",
        "kind": "Art der Frage: {kind}",
        "findings": {"better": "besser", "worse": "schlechter", "equal": "Zufall?"},
        "side_by_side": "Antworten nebeneinander",
        "side_by_side_note": "Zuerst die Fragen, deren Antworten sich am meisten unterscheiden. Unter jeder "
        "Antwort steht: {figure}.",
        "left_out": "Antworten auf Fragen, die nicht für alle bewertet sind",
        "pool": "Fragensammlung",
        "settings": "Einstellungen der Antworten",
        "without_model": "ohne Modell",
        "explained": "Jede Antwort wurde für sich bewertet. Eine Kennzahl zählt über die Fragen, für die "
        "alle Einstellungen sie haben. Das Intervall sagt, wie sehr ein Mittel von den Fragen abhängt, die "
        "zufällig in der Sammlung sind (Bootstrap, 10.000 Ziehungen); der p-Wert, wie oft ein ebenso großer "
        "Unterschied entstünde, wenn die Ergebnisse Frage für Frage vertauscht würden.",
    },
    "en": {
        "title": "Which configuration gives the best answers?",
        "compared": "{configurations} configurations have answered the same {questions} questions.",
        "better": "{second} is better than {first}: {figure} {after} instead of {before} (p {p}).",
        "worse": "{second} is worse than {first}: {figure} {after} instead of {before} (p {p}).",
        "equal": "Between {second} and {first} no difference was measured that may not be chance: {figure} "
        "{after} and {before} (p {p}).",
        "unmeasured": "{second} and {first} have no figure in common that decides.",
        "table": "The figures side by side",
        "table_note": "In brackets the 95 % interval. Each is compared with the first column: with p up to "
        "0.05 it says which is better; among many figures that, too, may be chance.",
        "plot_all": "The figures drawn",
        "plot_note": "From {low} to {high}: the line shows the range in which the mean is with 95 % "
        "confidence, the dot its value.",
        "configuration": "Configuration",
        "value": "Value",
        "questions": "Questions",
        "kind": "Kind of question: {kind}",
        "findings": {"better": "better", "worse": "worse", "equal": "chance?"},
        "side_by_side": "Answers side by side",
        "side_by_side_note": "Questions whose answers differ most come first. Below each answer: {figure}.",
        "left_out": "Answers to questions that were not graded for all",
        "pool": "Pool of questions",
        "settings": "How the answers were made",
        "without_model": "without a model",
        "explained": "Each answer was graded alone. A figure counts over the questions for which all "
        "configurations have it. The interval says how much a mean owes to the questions that happen to be "
        "in the pool (bootstrap, 10,000 resamples); the p-value how often as great a difference would arise "
        "if the results were exchanged question by question.",
    },
}
"""Texts of the page about compared configurations, beside those about grades."""
