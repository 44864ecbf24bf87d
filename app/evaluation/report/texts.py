"""What the report says, in German and English."""

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
        "better": "{second} ist besser als {first}: {figure} {difference} Prozentpunkte ({interval}), "
        "p = {p}.",
        "worse": "{second} ist schlechter als {first}: {figure} {difference} Prozentpunkte ({interval}), "
        "p = {p}.",
        "equal": "Zwischen {first} und {second} wurde kein Unterschied gemessen, der nicht auch Zufall sein "
        "könnte: {figure} {difference} Prozentpunkte, p = {p}.",
        "unmeasured": "{second} und {first} haben keine Kennzahl gemeinsam.",
        "figures": "Kennzahlen",
        "figure": "Kennzahl",
        "plot": "Die Striche zeigen von 0 bis 1, in welchem Bereich die Kennzahl mit 95 % Sicherheit liegt, "
        "der Punkt ihren Wert.",
        "groups": {"language": "Nach Sprache", "kind": "Nach Art der Frage", "source": "Nach Quelle"},
        "group": "Gruppe",
        "questions": "Fragen",
        "differences": "{second} gegenüber {first}",
        "difference": "Unterschied",
        "interval": "95-%-Intervall",
        "p": "p-Wert",
        "outcomes": {"won": "Besser", "mixed": "Teils besser, teils schlechter", "lost": "Schlechter"},
        "none_changed": "Keine Frage hat sich verändert.",
        "worst": "Die schlechtesten Fragen",
        "worst_of": "Die schlechtesten Fragen von {label}",
        "none_worst": "Keine Frage ließ etwas zu wünschen übrig.",
        "wanted": "Gesucht",
        "nothing": "keine Seite beantwortet sie",
        "rank": "Rang",
        "not_found": "nicht gefunden",
        "answer": "Antwort",
        "no_answer": "keine",
        "context": "Was ein Modell zu lesen bekäme",
        "sources": "Quellen",
        "cited": "zitiert",
        "wrong": "enthält nicht alles Gefragte",
        "refusal": "abgelehnt",
        "warnings": "Was dabei zu beachten ist",
        "measured": "Wie gemessen wurde",
        "run": "Lauf",
        "pool": "Fragensammlung",
        "started": "Begonnen",
        "configuration": "Einstellungen",
        "index": "Gesucht in",
        "left_out": "Nicht verglichene Fragen",
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
        "better": "{second} is better than {first}: {figure} {difference} percentage points ({interval}), "
        "p = {p}.",
        "worse": "{second} is worse than {first}: {figure} {difference} percentage points ({interval}), "
        "p = {p}.",
        "equal": "Between {first} and {second} no difference was measured that may not be chance: "
        "{figure} {difference} percentage points, p = {p}.",
        "unmeasured": "{second} and {first} have no figure in common.",
        "figures": "Figures",
        "figure": "Figure",
        "plot": "The lines show, from 0 to 1, the range in which the figure is with 95 % confidence, the dot "
        "its value.",
        "groups": {"language": "By language", "kind": "By kind of question", "source": "By source"},
        "group": "Group",
        "questions": "Questions",
        "differences": "{second} against {first}",
        "difference": "Difference",
        "interval": "95 % interval",
        "p": "p-value",
        "outcomes": {"won": "Better", "mixed": "Better in part, worse in part", "lost": "Worse"},
        "none_changed": "No question changed.",
        "worst": "The worst questions",
        "worst_of": "The worst questions of {label}",
        "none_worst": "No question left anything to be desired.",
        "wanted": "Wanted",
        "nothing": "no page answers it",
        "rank": "Rank",
        "not_found": "not found",
        "answer": "Answer",
        "no_answer": "none",
        "context": "What a model would read",
        "sources": "Sources",
        "cited": "cited",
        "wrong": "does not hold all that was asked for",
        "refusal": "refused",
        "warnings": "What to bear in mind",
        "measured": "How it was measured",
        "run": "Run",
        "pool": "Pool of questions",
        "started": "Started",
        "configuration": "Configuration",
        "index": "Searched in",
        "left_out": "Questions that are not compared",
        "explained": "Each figure is a mean over the questions that count for it. Its interval says how much "
        "it owes to the questions that happen to be in the pool (bootstrap, 10,000 resamples). The p-value "
        "says how often as great a difference would arise if the results of both configurations were "
        "exchanged question by question. The answers were made without a language model.",
        "made": "Made by Auskunft {version}",
        "to": "to",
    },
}
