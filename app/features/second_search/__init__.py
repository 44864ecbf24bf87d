"""Second search: before answering, the model says what the sources lack, and that is searched for as well."""
