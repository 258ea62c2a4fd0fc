# report.py: an example of the guide: a table of words, made in a slow way.
def count(words):
    table = []
    for word in words:
        for entry in table:
            if entry[0] == word:
                entry[1] += 1
                break
        else:
            table.append([word, 1])
    return table


print(len(count(str(i % 700) for i in range(20000))))
