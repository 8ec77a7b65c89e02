CREATE INDEX answers_remarked ON answers (saved) WHERE content NOT LIKE '%"remark":""%'
