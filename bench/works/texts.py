"""64 texts for accuracy.py, which were not used to tune Heddle. They contain up to 78 words. There is prose and code;
some texts are not in English, and some contain no words."""

SENTENCES = [
    "The cat sleeps in the warm sun.",
    "A kitten is napping on the window sill.",
    "Share prices fell sharply this morning after the central bank raised its key rate by half a percentage point.",
    "The stock market lost a lot of value today.",
    "A man is playing a guitar on stage.",
    "Someone performs music for a crowd.",
    "How do I reset my password?",
    "I forgot my login credentials and cannot get into my account any more.",
    "Photosynthesis converts light energy into chemical energy stored in glucose.",
    "The mitochondrion is the powerhouse of the cell.",
    "def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)",
    "SELECT name, COUNT(*) FROM orders WHERE total > 100 GROUP BY name HAVING COUNT(*) > 3;",
    "for (int i = 0; i < n; ++i) sum += a[i] * b[i];",
    "Segmentation fault (core dumped) at address 0x7ffe00000010",
    "yes",
    "No!",
    "ok",
    "Hello",
    "???",
    "1234567890",
    "3.14159265358979 is an approximation of pi.",
    "Der schnelle braune Fuchs springt über den faulen Hund.",
    "Le conseil municipal a voté le budget de l'année prochaine hier soir.",
    "El perro corre por el parque mientras los niños juegan al fútbol.",
    "今日は天気がとても良いです。",
    "Привет, как дела? Всё хорошо, спасибо.",
    "مرحبا بالعالم",
    "The quick brown fox jumps over the lazy dog.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et "
    "dolore magna aliqua.",
    "Patient presents with acute chest pain radiating to the left arm, diaphoresis and shortness of breath; "
    "ECG shows ST elevation in leads II, III and aVF.",
    "The defendant shall be liable for all damages arising from the breach of this agreement, including but "
    "not limited to consequential and incidental damages, unless otherwise stipulated in writing by both "
    "parties.",
    "Quarterly revenue grew 12.5% year over year to $4.3 billion, while operating margin narrowed to 18.1% on "
    "higher input costs.",
    "Preheat the oven to 200 degrees, mix flour, butter and sugar, and bake for twenty-five minutes until golden brown.",
    "Add two cups of flour and a pinch of salt.",
    "The Eiffel Tower is located in Paris, France.",
    "What is the capital of Australia?",
    "Canberra is the capital city of Australia.",
    "Who wrote Pride and Prejudice?",
    "Jane Austen published her novel in 1813.",
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of "
    "foolishness, it was the epoch of belief, it was the epoch of incredulity.",
    "Call me Ishmael.",
    "To be, or not to be, that is the question.",
    "Two households, both alike in dignity, in fair Verona, where we lay our scene.",
    "I am not happy with the product; it broke after two days and customer service never answered.",
    "Absolutely love it! Best purchase I have made all year, five stars.",
    "The film was neither good nor bad, just utterly forgettable.",
    "Mount Everest rises 8,849 metres above sea level.",
    "Black holes emit Hawking radiation and slowly evaporate over unimaginably long times.",
    "Quantum entanglement does not allow information to travel faster than light.",
    "The theorem states that every bounded sequence of real numbers has a convergent subsequence.",
    "Let f be a continuous function on [0,1]; then f attains its maximum.",
    "Heavy rain and strong winds are expected along the coast on Thursday, with gusts of up to 110 kilometres per hour.",
    "Tomorrow will be sunny.",
    "The new vaccine reduced hospital admissions by ninety percent in the trial.",
    "Climate change is causing glaciers to retreat across the Alps.",
    "The striker scored twice in stoppage time to send the home side into the semi-finals.",
    "He won the match.",
    "Please find attached the minutes of yesterday's meeting and let me know if anything is missing.",
    "Dear Sir or Madam, I am writing to apply for the position of software engineer advertised on your website.",
    "@user123 lol that's soooo funny 😂😂😂 #mood",
    "http://example.org/path/to/page?id=42&lang=en#section-3",
    "BREAKING: magnitude 6.8 earthquake strikes off the coast; tsunami warning issued",
    "The train from Zürich to Milan leaves at 07:33 from platform 9 and takes three hours and seventeen "
    "minutes, provided that nobody has once again parked a cow on the tracks near Bellinzona.",
    "Transformers process all tokens of a sequence in parallel using self-attention, in which each token's "
    "representation is updated by a weighted sum of the values of all tokens, the weights being the softmax of"
    " scaled dot products between queries and keys; this removes the sequential bottleneck of recurrent "
    "networks but makes the cost grow with the square of the length, so that long documents are usually split "
    "into passages of a few hundred tokens before they are encoded.",
]
