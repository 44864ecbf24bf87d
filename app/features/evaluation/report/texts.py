"""Texts of the report, in German and English."""

from typing import Final

LANGUAGES: Final = ("de", "en")

FIGURES: Final = {
    "de": {
        "hit@1": "Richtige Seite an erster Stelle",
        "hit@5": "Richtige Seite unter den ersten 5",
        "hit@10": "Richtige Seite unter den ersten 10",
        "recall@20": "Anteil der richtigen Seiten unter den ersten 20",
        "mrr@10": "Kehrwert des Rangs (MRR@10)",
        "ndcg@10": "Güte der Reihenfolge (nDCG@10)",
        "none": "Zu Recht nichts gefunden",
        "shown": "Gezeigte Antwort ist vollständig",
        "context@2000": "Antwort in den ersten 2.000 Zeichen für das Modell",
        "context@8000": "Antwort in den ersten 8.000 Zeichen für das Modell",
        "links": "Links, die die zitierte Stelle öffnen",
        "citation_precision": "Zitierte Seiten, die richtig sind",
        "citation_recall": "Richtige Seiten, die zitiert werden",
        "refused": "Unbeantwortbares abgelehnt",
        "refusal_precision": "Ablehnungen, die richtig sind",
        "lost": "Beantwortbares abgelehnt (weniger ist besser)",
    },
    "en": {
        "hit@1": "Right page first",
        "hit@5": "Right page among the first 5",
        "hit@10": "Right page among the first 10",
        "recall@20": "Share of the right pages among the first 20",
        "mrr@10": "Reciprocal rank (MRR@10)",
        "ndcg@10": "Quality of the order (nDCG@10)",
        "none": "Rightly found nothing",
        "shown": "Answer shown is complete",
        "context@2000": "Answer in the first 2,000 characters for the model",
        "context@8000": "Answer in the first 8,000 characters for the model",
        "links": "Links that open the passage quoted",
        "citation_precision": "Cited pages that are right",
        "citation_recall": "Right pages that are cited",
        "refused": "Unanswerable questions refused",
        "refusal_precision": "Refusals that are right",
        "lost": "Answerable questions refused (less is better)",
    },
}
"""The figures that the report shows, in its order."""

TEXTS: Final = {
    "de": {
        "title": "Wie gut sind die Antworten?",
        "verdict": "Das Ergebnis",
        "first": "Zu {count} Fragen, die die Seiten beantworten, stand die richtige Seite in {share} der "
        "Fälle an erster Stelle (95-%-Intervall {interval}) und in {ten} unter den ersten zehn.",
        "shown": "Die gezeigte Antwort enthielt in {share} von {count} Fällen alles Gefragte ({interval}).",
        "refused": "Von {count} Fragen, die keine Seite beantwortet, wurden {share} abgelehnt.",
        "lost": "Zu Unrecht abgelehnt wurden {share} der beantwortbaren Fragen.",
        "better": "{second} ist besser als {first}: {figure} {difference} Prozentpunkte, von {before} auf "
        "{after} (95-%-Intervall {interval}, p {p}).",
        "worse": "{second} ist schlechter als {first}: {figure} {difference} Prozentpunkte, von {before} auf "
        "{after} (95-%-Intervall {interval}, p {p}).",
        "equal": "Zwischen {first} und {second} wurde kein Unterschied gemessen, der nicht auch Zufall sein "
        "könnte: {figure} {difference} Prozentpunkte, von {before} auf {after} (95-%-Intervall {interval}, "
        "p {p}).",
        "changed": "Von {questions} Fragen sind mit {second} {won} besser beantwortet, {lost} schlechter und "
        "{mixed} teils besser, teils schlechter.",
        "unmeasured": "{second} und {first} haben keine Kennzahl gemeinsam.",
        "figures": "Kennzahlen",
        "figure": "Kennzahl",
        "plot": "Die Striche zeigen zwischen 0 und 100 %, in welchem Bereich die Kennzahl mit 95 % "
        "Sicherheit liegt, der Punkt ihren Wert.",
        "groups": {"language": "Nach Sprache", "kind": "Nach Art der Frage", "source": "Nach Quelle"},
        "group": "Gruppe",
        "questions": "Fragen",
        "differences": "{second} gegenüber {first}",
        "difference": "Unterschied",
        "finding": "Befund",
        "findings": {"better": "besser", "worse": "schlechter", "equal": "Zufall?"},
        "interval": "95-%-Intervall",
        "p": "p-Wert",
        "energy": "Energie einer Antwort",
        "energy_of": "{label}: {wh} Wh je Antwort, so viel wie {seconds} s Föhn oder {percent} % einer "
        "Handyladung, {basis}. Das Sprachmodell ist nicht dabei.",
        "basis": {"measured": "gemessen", "estimated": "geschätzt"},
        "outcomes": {"won": "Besser", "mixed": "Teils besser, teils schlechter", "lost": "Schlechter"},
        "none_changed": "Keine Frage hat sich verändert.",
        "worst": "Die schlechtesten Fragen",
        "worst_of": "Die schlechtesten Fragen von {label}",
        "none_worst": "Keine Frage ließ etwas zu wünschen übrig.",
        "wanted": "Gesucht",
        "nothing": "keine Seite beantwortet sie",
        "rank": "Rang",
        "not_found": "nicht gefunden",
        "reference": "Erwartete Antwort",
        "answer": "Antwort",
        "no_answer": "keine",
        "context": "Was ein Modell zu lesen bekäme",
        "sources": "Quellen",
        "cited": "zitiert",
        "wrong": "enthält nicht alles Gefragte",
        "right": "enthält jetzt alles Gefragte",
        "refusal": "abgelehnt",
        "answered": "beantwortet",
        "warnings": "Was dabei zu beachten ist",
        "notes": {
            "missing_gold": "{pages} von {of} richtigen Seiten sind nicht im Index ({named}). {questions} "
            "Fragen haben keine andere und zählen als nicht gefunden.",
            "missing_spans": "{spans} von {of} Stellen im Recht sind nicht im Index ({named}). {questions} "
            "Fragen haben keine andere und werden nicht nach ihrem Text beurteilt.",
            "not_reranked": "Der Reranker gab für {questions} Fragen keine Werte: Ihre Seiten zählen, wie "
            "sie gefunden wurden.",
        },
        "measured": "Wie gemessen wurde",
        "run": "Lauf",
        "pool": "Fragensammlung",
        "started": "Begonnen",
        "configuration": "Einstellungen",
        "index": "Gesucht in",
        "left_out": "Nicht verglichene Fragen",
        "legend": "Bei p bis 0,05 steht, was besser ist; unter vielen Kennzahlen kann auch das Zufall sein. "
        "Unterschiede sind in Prozentpunkten, die von MRR und nDCG Zahlen.",
        "explained": "Jede Kennzahl ist ein Mittelwert über die Fragen, für die sie gilt. Ihr Intervall "
        "sagt, wie sehr sie davon abhängt, welche Fragen zufällig in der Sammlung sind (Bootstrap, 10.000 "
        "Ziehungen). Der p-Wert sagt, wie oft ein ebenso großer Unterschied entstünde, wenn die Ergebnisse "
        "beider Einstellungen Frage für Frage vertauscht würden. Die Antworten sind ohne Sprachmodell "
        "entstanden.",
        "made": "Erstellt von Auskunft {version}",
        "to": "bis",
    },
    "en": {
        "title": "How good are the answers?",
        "verdict": "The result",
        "first": "Of {count} questions that the pages answer, the right page came first in {share} "
        "(95 % interval {interval}), and was among the first ten in {ten}.",
        "shown": "The answer shown held all that was asked for in {share} of {count} cases ({interval}).",
        "refused": "Of {count} questions that no page answers, {share} were refused.",
        "lost": "{share} of the answerable questions were wrongly refused.",
        "better": "{second} is better than {first}: {figure} {difference} percentage points, from {before} "
        "to {after} (95 % interval {interval}, p {p}).",
        "worse": "{second} is worse than {first}: {figure} {difference} percentage points, from {before} to "
        "{after} (95 % interval {interval}, p {p}).",
        "equal": "Between {first} and {second} no difference was measured that may not be chance: "
        "{figure} {difference} percentage points, from {before} to {after} (95 % interval {interval}, p "
        "{p}).",
        "changed": "Of {questions} questions {won} are answered better with {second}, {lost} worse, and "
        "{mixed} better in part and worse in part.",
        "unmeasured": "{second} and {first} have no figure in common.",
        "figures": "Figures",
        "figure": "Figure",
        "plot": "The lines show, between 0 and 100 %, the range in which the figure is with 95 % confidence, "
        "the dot its value.",
        "groups": {"language": "By language", "kind": "By kind of question", "source": "By source"},
        "group": "Group",
        "questions": "Questions",
        "differences": "{second} against {first}",
        "difference": "Difference",
        "finding": "Finding",
        "findings": {"better": "better", "worse": "worse", "equal": "chance?"},
        "interval": "95 % interval",
        "p": "p-value",
        "energy": "Energy of an answer",
        "energy_of": "{label}: {wh} Wh for each answer, like {seconds} s of a hair dryer or {percent} % of a "
        "phone charge, {basis}. The language model is not in it.",
        "basis": {"measured": "measured", "estimated": "estimated"},
        "outcomes": {"won": "Better", "mixed": "Better in part, worse in part", "lost": "Worse"},
        "none_changed": "No question changed.",
        "worst": "The worst questions",
        "worst_of": "The worst questions of {label}",
        "none_worst": "No question left anything to be desired.",
        "wanted": "Wanted",
        "nothing": "no page answers it",
        "rank": "Rank",
        "not_found": "not found",
        "reference": "Expected answer",
        "answer": "Answer",
        "no_answer": "none",
        "context": "What a model would read",
        "sources": "Sources",
        "cited": "cited",
        "wrong": "does not hold all that was asked for",
        "right": "holds all that was asked for now",
        "refusal": "refused",
        "answered": "answered",
        "warnings": "What to bear in mind",
        "notes": {
            "missing_gold": "{pages} of {of} gold pages are not indexed ({named}). {questions} questions "
            "have no other and count as not found.",
            "missing_spans": "{spans} of {of} spans of law are not in the index ({named}). {questions} "
            "questions have no other and are not judged by their text.",
            "not_reranked": "The reranker gave no scores for {questions} questions: their pages count as "
            "they were found.",
        },
        "measured": "How it was measured",
        "run": "Run",
        "pool": "Pool of questions",
        "started": "Started",
        "configuration": "Configuration",
        "index": "Searched in",
        "left_out": "Questions that are not compared",
        "legend": "With p up to 0.05 it says which is better; among many figures that, too, may be chance. "
        "Differences are in percentage points, those of MRR and nDCG are numbers.",
        "explained": "Each figure is a mean over the questions that count for it. Its interval says how much "
        "it owes to the questions that happen to be in the pool (bootstrap, 10,000 resamples). The p-value "
        "says how often as great a difference would arise if the results of both configurations were "
        "exchanged question by question. The answers were made without a language model.",
        "made": "Made by Auskunft {version}",
        "to": "to",
    },
}

CALIBRATION: Final = {
    "de": {
        "title": "Welche Schwellen passen zu diesem Modell?",
        "verdict": "Das Ergebnis",
        "lost": "Mit den vorgeschlagenen Schwellen würden {share} der beantwortbaren Fragen abgelehnt.",
        "refused": "Von den Fragen, die keine Seite beantwortet, würden {share} abgelehnt (AUC {auc}: so "
        "oft hat eine beantwortbare Frage den höheren Wert).",
        "no_others": "Die Sammlung hat keine Fragen, die keine Seite beantwortet: Ohne sie ist nicht "
        "bekannt, ob solche abgelehnt würden.",
        "proposed": "Vorschlag für auskunft.toml",
        "advice": "Nichts ist geändert: Übernehmen Sie die Tabelle und messen Sie mit auskunft evaluate.",
        "distributions": "Woraus die Schwellen folgen",
        "plot": "Nach oben: Anteile der richtigen Treffer. Nach unten: die der falschen. Die senkrechte "
        "Linie ist die Schwelle: Was links von ihr liegt, zählt nicht.",
        "threshold": "Schwelle",
        "fields": {
            "content": "Inhalt",
            "name": "Name",
            "title": "Titel",
            "description": "Beschreibung",
            "keywords": "Stichwörter",
            "answer": "Antwort (Wert des besten Treffers)",
        },
        "hits": "Werte",
        "median": "Median",
        "effect": "Wirkung der Schwelle",
        "right": "richtige",
        "wrong": "falsche",
        "right_answer": "beantwortbare Fragen",
        "wrong_answer": "andere Fragen",
        "are_lost": "{share} gehen verloren",
        "are_kept": "{share} bleiben",
        "measured": "Gemessen mit {name} auf {pool}.",
        "made": "Erstellt von Auskunft {version}",
    },
    "en": {
        "title": "Which thresholds fit this model?",
        "verdict": "The result",
        "lost": "With the proposed thresholds {share} of the answerable questions would be refused.",
        "refused": "Of the questions that no page answers, {share} would be refused (AUC {auc}: so often "
        "an answerable question has the higher score).",
        "no_others": "The pool has no questions that no page answers: without them nobody knows if such "
        "would be refused.",
        "proposed": "Proposal for auskunft.toml",
        "advice": "Nothing is changed: copy the table, then measure with auskunft evaluate.",
        "distributions": "What the thresholds follow from",
        "plot": "Upwards: shares of the right hits. Downwards: those of the wrong ones. The upright line is "
        "the threshold: what is left of it does not count.",
        "threshold": "threshold",
        "fields": {
            "content": "Content",
            "name": "Name",
            "title": "Title",
            "description": "Description",
            "keywords": "Keywords",
            "answer": "Answer (score of the best hit)",
        },
        "hits": "values",
        "median": "median",
        "effect": "effect of the threshold",
        "right": "right",
        "wrong": "wrong",
        "right_answer": "answerable questions",
        "wrong_answer": "other questions",
        "are_lost": "{share} are lost",
        "are_kept": "{share} are kept",
        "measured": "Measured with {name} on {pool}.",
        "made": "Made by Auskunft {version}",
    },
}
"""What the page about a calibration says."""
